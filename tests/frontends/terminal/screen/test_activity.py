import io

import pytest

from placet.frontends.terminal.screen.activity import Activity, stream_for_activity


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    monkeypatch.setenv("TERM", "xterm")
    return io.StringIO()


async def test_after_a_second_of_silence_it_says_what_is_awaited_and_is_gone_before_other_output(
    screen: io.StringIO,
) -> None:
    clock = Clock()
    activity = Activity(screen, clock=clock)
    activity.wait_for("waiting for \x1b[2Jthe model")
    clock.now = 0.5
    activity.tick()
    assert screen.getvalue() == ""
    clock.now = 12
    activity.tick()
    shown = screen.getvalue()
    assert "waiting for \ufffd[2Jthe model  12 s (Ctrl-C stops)" in shown
    activity.hide()
    assert screen.getvalue().endswith(f"\r{' ' * len(shown.strip())}\r")
    before = screen.getvalue()
    activity.hide()
    clock.now = 12.5
    activity.tick()
    assert screen.getvalue() == before, "the silence begins anew"
    activity.stop()


async def test_nothing_is_drawn_while_the_user_is_asked(screen: io.StringIO) -> None:
    clock = Clock()
    activity = Activity(screen, clock=clock)
    activity.wait_for("x")
    with activity.paused():
        clock.now = 60
        activity.tick()
        assert screen.getvalue() == ""
    clock.now = 62
    activity.tick()
    assert "x  2 s" in screen.getvalue(), "the time of the question does not count"
    activity.stop()


async def test_a_dumb_terminal_gets_a_line_now_and_then(screen: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    clock = Clock()
    activity = Activity(screen, clock=clock)
    activity.wait_for("x")
    for clock.now in range(70):
        activity.tick()
    assert screen.getvalue() == "... x  30 s\n... x  60 s\n"
    activity.stop()


def test_a_pipe_gets_nothing() -> None:
    assert stream_for_activity() is None
