"""Start of a turn on the screens: told once, by the first of the turn's events that a screen must not show before."""

from placet.core.events import Notice, TurnStarted, UserMessageAdded
from placet.core.messages import UserMessage
from placet.sessions.turns.recorder import Recorder


class TurnStart:
    """Start of one turn; the session owns the object while the turn runs."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._is_shown = False

    def show(self, user: UserMessage) -> None:
        """Tell the screens that the turn of the prompt has started."""
        if not self._is_shown:
            self._is_shown = True
            self._recorder.emit(TurnStarted(turn_id=user.id))

    def tell_of_servers(self, user: UserMessage, message: str) -> None:
        """Show the user a notice about the MCP servers, below the prompt."""
        if not self._is_shown:
            self._recorder.emit(UserMessageAdded(message=user))
        self.show(user)
        self._recorder.emit(Notice(turn_id=user.id, code="mcp_servers", message=message))
