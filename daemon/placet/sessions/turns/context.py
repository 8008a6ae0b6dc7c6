"""Context of a session's models beside the user's words: system prompt, news, and content mentioned in a prompt."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from placet.agent.context.history import model_history
from placet.agent.prompt.rules_files import RulesSources
from placet.changes.ledger import Ledger
from placet.core.messages import AgentPart, DiagnosticsPart, FilePart, Part, TextPart
from placet.extensions.mcp.session_servers import SessionServers
from placet.sessions.services.services import Services
from placet.sessions.turns.recorder import Recorder
from placet.sessions.turns.system_prompts import Opening, Prompted, SystemPrompts
from placet.settings import Action
from placet.tools.framework.context import Judge


class TurnOpening(Struct, frozen=True):
    """Opening of a turn: the system messages and the user message's parts."""

    system: tuple[str, ...]
    parts: tuple[Part, ...]
    """Parts of the user message."""
    prompt: Opening


class SessionContext:
    """Context of one session, which owns this object."""

    def __init__(
        self,
        services: Services,
        recorder: Recorder,
        ledger: Ledger,
        servers: Callable[[], SessionServers],
        family: Callable[[], str],
    ) -> None:
        """Create the context; `servers` returns the session's MCP servers, and `family` the id of the session whose
        change set the session shares.
        """
        self._judge: Judge = _ask
        """Answers of the rules for the agent at work."""
        self._messages = lambda: recorder.transcript.messages
        self._has_mentions = recorder.info.parent_id is None
        self._services = services
        self._servers = servers
        self._family = family
        self._session_id = recorder.info.id
        self._ledger = ledger
        self._workspace = services.workspace
        """Workspace of the running or last turn."""
        self._prompts = SystemPrompts(
            recorder.info.id,
            services.database,
            RulesSources(
                workspace=self._workspace,
                config=services.locations.config,
                instructions=services.settings.instructions,
                read=services.ports.documents.read,
                note=ledger.note_pinned,
            ),
            lambda: self._servers().instructions(),
        )

    async def open_turn(
        self, prompted: Prompted, judge: Judge, parts: Sequence[Part], mentions: str = ""
    ) -> TurnOpening:
        """Return the system messages, and the user's parts with mentioned content and news. Raises StoreError.

        `mentions` is a command's text; content mentioned in this text is shown too, if readable without asking.

        Once the message is in the conversation, call `note_reminder`.
        """
        self._judge = judge
        workspace = self._workspace = self._services.workspace
        self._prompts.work_in(workspace)
        prompt = await self._prompts.open_turn(prompted, judge, self._messages())
        news = () if prompt.news is None else (prompt.news,)
        return TurnOpening(prompt.system, (*await self.attach(parts, mentions), *news), prompt)

    def note_reminder(self, opening: TurnOpening, message_id: str) -> None:
        """Note that the user message with the opening's parts is in the conversation."""
        self._prompts.note_reminder(opening.prompt, message_id)

    async def within_turn(self, prompted: Prompted, judge: Judge) -> tuple[str, ...]:
        """Return the system messages for the turn's next step. Raises StoreError."""
        self._judge = judge
        return await self._prompts.within_turn(prompted, judge, self._messages())

    def take_literally(self) -> None:
        """Look for no mentions in the texts of prompts from now on."""
        self._has_mentions = False

    async def attach(self, parts: Sequence[Part], mentions: str = "") -> tuple[Part, ...]:
        """Return the parts of a prompt with the mentioned content.

        The text of a subagent's prompt, written by a model, mentions nothing.
        """
        if not (mentions or any(map(_may_point, parts))):
            return tuple(parts)
        from placet.agent.mentions.reference_context import ReferenceContext  # Most prompts point at nothing.
        from placet.agent.mentions.references import attach_references
        from placet.changes.review.staged_documents import StagedDocuments

        services = self._services
        seen = StagedDocuments(services.ports.documents, services.change_sets, self._family())
        context = ReferenceContext(
            workspace=services.workspace,
            documents=services.ports.documents,
            features=services.ports.features,
            ledger=self._ledger,
            judge=self._judge,
            subagents=lambda: services.agents.subagents,
            history=lambda: model_history(self._messages()),
            seen=seen,
            resources=services.extensions.resources(services.locations.outputs_of(self._session_id), self._servers()),
        )
        return await attach_references(parts, context, with_mentions=self._has_mentions, mentioned_by_command=mentions)


def _may_point(part: Part) -> bool:
    """Return whether the part may point at content; every mention in a text begins with `@`."""
    match part:
        case FilePart() | DiagnosticsPart() | AgentPart():
            return True
        case TextPart(text=text):
            return "@" in text
        case _:
            return False


def _ask(permission: str, pattern: str) -> Action:
    return "ask"
