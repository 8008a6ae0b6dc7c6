"""Command hooks as one turn of a session calls the hooks, with the facts that every hook is given."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from placet.core.errors import TurnStopped
from placet.core.messages import JsonObject
from placet.extensions.command_hooks.hooks import NO_COMMAND_HOOKS, CommandHooks

if TYPE_CHECKING:
    from placet.extensions.command_hooks.outcome import Outcome


def _nobody(message: str) -> None:
    pass


class SessionHooks:
    """Hooks of one turn; the session makes the object for the turn."""

    def __init__(
        self,
        hooks: CommandHooks,
        session_id: str,
        directory: Path,
        *,
        agent: str = "",
        is_subagent: bool = False,
        servers: Callable[[], Iterable[str]] = tuple,
        tell: Callable[[str], None] = _nobody,
    ) -> None:
        """Bind the hooks to a session; `servers` names the MCP servers, and `tell` shows the user a text."""
        self.all = hooks
        self.session_id = session_id
        self.directory = directory
        self.agent = agent
        self.end_event = "SubagentStop" if is_subagent else "Stop"
        self.servers = servers
        self._tell = tell
        self._stop: str | None = None

    def has(self, event: str) -> bool:
        """Return whether any hook is for the event."""
        return self.all.has(event)

    async def run(self, event: str, fields: JsonObject, names: Iterable[str] = ()) -> "Outcome":
        """Run the event's hooks; the user is told the texts for the user, and a wish to stop is kept."""
        common: JsonObject = {
            "session_id": self.session_id,
            "transcript_path": "",
            "cwd": str(self.directory),
            "permission_mode": "plan" if self.agent == "plan" else "default",
            "hook_event_name": event,
        }
        outcome = await self.all.run(event, names, {**common, **fields}, self.directory)
        for message in outcome.messages:
            self._tell(message)
        if outcome.stop is not None and self._stop is None:
            self._stop = outcome.stop
        return outcome

    def raise_if_stopped(self) -> None:
        """Raise TurnStopped if a hook wants the turn to end."""
        if self._stop is not None:
            raise TurnStopped("hook", self._stop, hint="A hook of your settings ended the turn.")


NO_SESSION_HOOKS = SessionHooks(NO_COMMAND_HOOKS, "", Path())
"""Hooks of a turn without hooks."""
