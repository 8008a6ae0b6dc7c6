"""Compaction of a session's conversation when the model's context is full, and pruning of old results between turns."""

from collections.abc import Sequence

from placet.agent.context.compaction_plan import CompactionOptions
from placet.agent.context.history import model_history, opens_turn
from placet.agent.context.pruning import prune
from placet.agent.context.shown_files import shown_files
from placet.agent.turn.compaction import compact
from placet.agent.turn.fallback import FallbackChain
from placet.agent.turn.meter import Meter
from placet.agent.turn.turn import Turn
from placet.changes.ledger import Ledger
from placet.core.errors import RequestError
from placet.core.ids import now
from placet.core.messages import CompactionPart, Message, UserMessage
from placet.core.transcript import closing_updates
from placet.model.base import Model
from placet.model.select import is_hosted, ready_model
from placet.sessions.services.services import Services
from placet.sessions.turns.hidden_agents import hidden_agent
from placet.sessions.turns.models.fallback_models import writers
from placet.sessions.turns.recorder import Recorder
from placet.sessions.turns.turn_hooks import TurnHooks
from placet.tools.framework.context import NoteProgress, ToolContext


class Compactor:
    """Compaction and pruning for one session, which owns this object."""

    def __init__(self, services: Services, recorder: Recorder, ledger: Ledger, hooks: TurnHooks) -> None:
        self._services = services
        self._recorder = recorder
        self._ledger = ledger
        self._hooks = hooks

    async def options(self, model: Model) -> CompactionOptions:
        """Return the options of a compaction for this model.

        Raises SettingsError if the agent's own model is unusable.
        """
        services, settings = self._services, self._services.settings
        agent = hidden_agent(services, "compaction")
        return CompactionOptions(
            prompt=agent.prompt if agent is not None else "",
            temperature=agent.temperature if agent is not None else None,
            effort=agent.effort if agent is not None else None,
            model=await ready_model(agent.model, settings, services.host)
            if agent is not None and agent.model
            else None,
            auto=settings.compaction.auto and agent is not None,
            reserved_tokens=settings.compaction.reserved_tokens,
            kept_tokens=settings.compaction.keep_tokens,
            output_limit=lambda: settings.options_of(model.id).max_output_tokens or self._output_limit(model),
            after=self._forget,
        )

    async def compact(self, model: Model, meter: Meter) -> CompactionPart:
        """Sum up now, because the user asks for a compaction.

        Raises RequestError, TurnStopped when nothing can be gained, ModelError, CancelledError; the history is then
        unchanged.
        """
        options = await self.options(model)
        if not options.prompt:
            raise RequestError("The agent `compaction`, which summarizes conversations, is disabled.")
        summing = (options.model or model).id
        if summing.startswith("builtin/"):
            raise RequestError(
                f"{summing} cannot summarize a conversation. Choose another model, or set `agent.compaction.model`."
            )
        messages = self._recorder.transcript.messages
        last = next((message for message in reversed(messages) if opens_turn(message)), None)
        if not isinstance(last, UserMessage):
            raise RequestError("The session has nothing to summarize yet.")
        turn = Turn(
            user=last,
            session_id=self._recorder.info.id,
            agent=self._services.agents.find("compaction"),
            model=model,
            system=(),
            tools={},
            transcript=self._recorder.transcript,
            emit=self._recorder.emit,
            new_context=_no_calls,
            max_output_tokens=self._services.settings.options_of(model.id).max_output_tokens,
            max_retry_wait_seconds=self._services.settings.options_of(model.id).max_retry_wait_seconds,
            meter=meter,
            compaction=options,
            hooks=self._services.extensions.hooks,
            command_hooks=self._hooks.of_turn(last.id, "compaction"),
            fallback_chain=FallbackChain(await writers(self._services)),
        )
        try:
            return await compact(turn, "asked")
        except BaseException:
            for update in closing_updates(self._recorder.transcript.messages, "This was interrupted."):
                self._recorder.emit(update)
            raise

    def clear_old_results(self) -> None:
        """Clear old tool results; to be called between turns."""
        if not self._services.settings.compaction.prune:
            return
        for cleared in (cleared_results := prune(self._recorder.transcript.messages, now())):
            self._recorder.emit(cleared)
        if cleared_results:
            self._forget(model_history(self._recorder.transcript.messages))

    def _forget(self, history: Sequence[Message]) -> None:
        """Forget the files that the model no longer sees and must read again before an edit: docs/EDITS.md rule 2."""
        self._ledger.forget_all_but(shown_files(history, self._services.workspace))

    def _output_limit(self, model: Model) -> int | None:
        facts = self._services.host.facts(model.id) if is_hosted(model.id) else None
        return facts.output_limit if facts is not None else None


def _no_calls(*, message_id: str, call_id: str, tool: str, progress: NoteProgress) -> ToolContext:
    raise AssertionError("a summary calls no tools")
