import io

from rich.console import Console

from placet.events import Retry, SessionEvent
from placet.frontends.terminal.printer import TextPrinter
from placet.messages import TurnError


def test_a_retry_says_why_and_when():
    screen = io.StringIO()
    error = TurnError(code="overloaded", message="The provider is busy.")
    retry = Retry(message_id="msg_1", attempt=1, wait_seconds=2.4, error=error)

    TextPrinter(Console(file=screen)).emit(SessionEvent(session_id="ses_1", seq=1, update=retry))

    assert screen.getvalue() == "  trying again in 2 s: The provider is busy.\n"
