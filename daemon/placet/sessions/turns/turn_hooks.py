"""Hooks of a session's turns: plugins and commands at the beginning of a prompt, and commands at the session's ends."""

from collections.abc import Callable

from placet.core.errors import TurnStopped
from placet.core.events import Notice, UserMessageAdded
from placet.core.messages import CompactionPart, TextPart, UserMessage, prompt_text
from placet.extensions.command_hooks.session_hooks import SessionHooks
from placet.extensions.mcp.session_servers import SessionServers
from placet.sessions.services.plugins import prompt_after_plugins
from placet.sessions.services.services import Services
from placet.sessions.turns.recorder import Recorder

LONGEST_PROMPT = 2_000
"""Characters of a blocked prompt that the user is shown again."""


class TurnHooks:
    """Hooks of one session, which owns the object."""

    def __init__(self, services: Services, recorder: Recorder, servers: Callable[[], SessionServers]) -> None:
        self._services = services
        self._recorder = recorder
        self._servers = servers
        self._compactions: int | None = None
        """Number of summaries at the last SessionStart; None before the first prompt in this process."""

    def of_turn(self, turn_id: str, agent: str) -> SessionHooks:
        """Return the command hooks for one turn."""
        roots = self._services.workspace.roots

        def tell(message: str) -> None:
            self._recorder.emit(Notice(turn_id=turn_id, code="hook", message=message))

        return SessionHooks(
            self._services.extensions.command_hooks,
            self._recorder.info.id,
            roots[0] if roots else self._services.locations.config,
            agent=agent,
            is_subagent=self._recorder.info.parent_id is not None,
            servers=lambda: [server.name for server in self._servers().servers],
            tell=tell,
        )

    @property
    def judges_prompts(self) -> bool:
        """Return whether a command hook may block a prompt of the session."""
        is_subagent = self._recorder.info.parent_id is not None
        return not is_subagent and self._services.extensions.command_hooks.has("UserPromptSubmit")

    async def submitted(self, user: UserMessage, agent: str) -> tuple[UserMessage, SessionHooks]:
        """Return the prompt after the hooks for prompts, with the texts of hooks for the model, and the turn's hooks.

        Raises TurnStopped if a hook blocks the prompt; the conversation then has a remark in place of the prompt.
        """
        hooks = self.of_turn(user.steers or user.id, agent)
        user = await self._after_plugins(user)
        if self._recorder.info.parent_id is not None:
            return user, hooks
        context = [*await self._session_start(hooks)]
        text = prompt_text(user.parts)
        if text and hooks.has("UserPromptSubmit"):
            outcome = await hooks.run("UserPromptSubmit", {"prompt": text})
            if outcome.block or outcome.stop is not None:
                remark = TextPart(text="(A hook of the user blocked this prompt.)", synthetic=True)
                blocked = user.model_copy(update={"parts": (remark,)})
                if not user.steers:
                    self._recorder.emit(UserMessageAdded(message=blocked))
                # The words go to the screens alone: neither the model nor the store gets to know a blocked prompt.
                words = f"The blocked prompt: {text[:LONGEST_PROMPT]}"
                self._recorder.tell(Notice(turn_id=user.steers or user.id, code="hook", message=words))
                raise TurnStopped(
                    "hook",
                    f"A hook blocked this prompt: {outcome.block or outcome.stop}",
                    hint="The prompt was not sent to the model.",
                )
            context += outcome.context
        added = (TextPart(text=f"<hook>\n{text}\n</hook>", synthetic=True) for text in context)
        return (user.model_copy(update={"parts": (*user.parts, *added)}) if context else user), hooks

    async def end(self) -> None:
        """Run the hooks for SessionEnd, if a prompt ran in this process."""
        hooks = self.of_turn("", "")
        if self._compactions is not None and hooks.has("SessionEnd"):
            await hooks.run("SessionEnd", {"reason": "other"}, ("other",))

    async def _after_plugins(self, user: UserMessage) -> UserMessage:
        plugins = self._services.extensions.hooks
        if not plugins.has("chat.message"):
            return user
        return await prompt_after_plugins(plugins, self._recorder.info.id, user)

    async def _session_start(self, hooks: SessionHooks) -> tuple[str, ...]:
        """Run the hooks for SessionStart before the first prompt, and again before the first prompt after a summary."""
        before, messages = self._compactions, self._recorder.transcript.messages
        now = sum(isinstance(part, CompactionPart) for message in messages for part in message.parts)
        self._compactions = now
        if before == now or not hooks.has("SessionStart"):
            return ()
        source = "compact" if before is not None else "resume" if messages else "startup"
        fields = {"source": source, "model": self._recorder.info.model}
        return (await hooks.run("SessionStart", fields, (source,))).context
