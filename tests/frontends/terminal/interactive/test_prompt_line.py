"""The prompt line at a terminal of the test: no key is lost, and no question is answered unseen."""

import asyncio
import os
import pty
import select
import signal
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

import pytest
from prompt_toolkit.completion import DummyCompleter
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import DummyOutput

from placet.frontends.terminal.interactive import prompt_line
from placet.frontends.terminal.interactive.keyboard import Keyboard
from time_support import wait_seconds


class Typist:
    """Writer to the terminal that is the stdin of the test."""

    def __init__(self, controller: int, terminal: int) -> None:
        self._controller, self.terminal = controller, terminal

    def press(self, keys: str) -> None:
        """Type the keys, and wait until the terminal has them."""
        os.write(self._controller, keys.encode())
        ready, _, _ = select.select([self.terminal], [], [], wait_seconds())
        assert ready, "the terminal swallowed the keys"


def no_output(stdout: TextIO) -> DummyOutput:
    return DummyOutput()


@pytest.fixture
def typist(monkeypatch: pytest.MonkeyPatch) -> Iterator[Typist]:
    controller, terminal = pty.openpty()
    with os.fdopen(controller, "wb", buffering=0), os.fdopen(terminal) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        monkeypatch.setattr(prompt_line, "create_output", no_output)
        yield Typist(controller, terminal)


@pytest.mark.parametrize(
    ("typed", "key"), [("\r", "ControlM"), ("\x04", "ControlD"), ("\x03", "ControlC"), ("\x7f", "ControlH")]
)
def test_a_key_typed_while_output_is_printed_keeps_its_meaning(typist: Typist, typed: str, key: str) -> None:
    keyboard = Keyboard(sys.stdin)
    with keyboard.raw_mode():
        with keyboard.cooked_mode():  # As prompt_toolkit prints above the line.
            typist.press(typed)
        assert [press.key for press in keyboard.read_keys()] == [getattr(Keys, key)]


def test_a_program_of_the_user_gets_lines_and_ctrl_c_as_usual(typist: Typist) -> None:
    keyboard = Keyboard(sys.stdin)
    usual = termios.ICANON | termios.ISIG | termios.ECHO
    with keyboard.raw_mode():
        with keyboard.lent():
            assert termios.tcgetattr(typist.terminal)[3] & usual == usual
        assert termios.tcgetattr(typist.terminal)[3] & usual == 0


async def nothing_to_print() -> None:
    """Wait for no output: nothing is printed above the line."""


class Session:
    """Lines that were sent on a prompt line, in a session of the test."""

    def __init__(self, directory: Path) -> None:
        self.line = prompt_line.PromptLine(
            directory / "history", lambda: "", lambda: False, lambda: None, nothing_to_print
        )
        self.sent: list[str] = []
        self.answered: list[str] = []
        self._came = asyncio.Event()

    async def run(self) -> None:
        await self.line.run(DummyCompleter(), self._on_line)

    def _on_line(self, text: str) -> None:
        if self.line.is_asked:
            self.answered.append(text)
            self.line.answer(text)
        else:
            self.sent.append(text)
        self._came.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            self._came.clear()
            await asyncio.wait_for(self._came.wait(), wait_seconds())


async def begun(directory: Path, typist: Typist) -> tuple[Session, asyncio.Task[None]]:
    session = Session(directory)
    task = asyncio.create_task(session.run())
    await asyncio.sleep(0)
    assert termios.tcgetattr(typist.terminal)[3] & termios.ICANON == 0, "the line does not read yet"
    typist.press("hello\r")
    await session.until(lambda: session.sent == ["hello"])
    return session, task


async def test_lines_typed_in_one_go_are_all_sent_and_ctrl_d_leaves(tmp_path: Path, typist: Typist) -> None:
    session, task = await begun(tmp_path, typist)
    typist.press("one\rtwo\rthree\r\x04")
    await asyncio.wait_for(task, wait_seconds())
    assert session.sent == ["hello", "one", "two", "three"]


async def test_lines_typed_before_the_line_is_there_are_sent_and_a_beginning_is_kept(
    tmp_path: Path, typist: Typist
) -> None:
    session = Session(tmp_path)
    typist.press("one\rtwo\x1b\rlines\\\rmore\rthr")  # The terminal is in cooked mode.
    task = asyncio.create_task(session.run())
    await session.until(lambda: len(session.sent) == 2)
    typist.press("ee\r\x04")
    await asyncio.wait_for(task, wait_seconds())
    assert session.sent == ["one", "two\nlines\nmore", "three"]


async def test_keys_typed_before_a_question_do_not_answer_the_question(tmp_path: Path, typist: Typist) -> None:
    session, task = await begun(tmp_path, typist)
    typist.press("y\rdra")
    asked = asyncio.create_task(session.line.ask("Allow? "))
    await session.until(lambda: session.sent == ["hello", "y"])
    assert (asked.done(), session.answered) == (False, [])
    typist.press("n\rft\r\x04")
    assert await asyncio.wait_for(asked, wait_seconds()) == "n"
    await asyncio.wait_for(task, wait_seconds())
    assert session.sent == ["hello", "y", "draft"]


async def test_a_draft_comes_back_from_a_question_that_is_answered_elsewhere(tmp_path: Path, typist: Typist) -> None:
    session, task = await begun(tmp_path, typist)
    typist.press("draft")
    asked = asyncio.create_task(session.line.ask("Allow? "))
    await asyncio.sleep(0)
    assert session.line.is_asked
    asked.cancel()
    await asyncio.wait([asked])
    typist.press("\r\x04")
    await asyncio.wait_for(task, wait_seconds())
    assert (session.sent, session.answered) == (["hello", "draft"], [])


async def test_two_questions_are_asked_one_after_the_other(tmp_path: Path, typist: Typist) -> None:
    session, task = await begun(tmp_path, typist)
    asked = [asyncio.create_task(session.line.ask(question)) for question in ("First? ", "Second? ")]
    for number, answer in enumerate(("1", "2")):
        await asyncio.sleep(0)
        typist.press(f"{answer}\r")
        assert await asyncio.wait_for(asked[number], wait_seconds()) == answer
    typist.press("\x04")
    await asyncio.wait_for(task, wait_seconds())


async def test_two_interrupts_from_outside_leave_as_two_ctrl_c_do(tmp_path: Path, typist: Typist) -> None:
    _, task = await begun(tmp_path, typist)
    signal.raise_signal(signal.SIGINT)
    signal.raise_signal(signal.SIGINT)
    await asyncio.wait_for(task, wait_seconds())


async def test_a_secret_is_shown_nowhere_and_stands_in_no_history(
    tmp_path: Path, typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed: list[str] = []
    drawn: list[str] = []
    news = asyncio.Event()

    def draw(output: DummyOutput, data: str) -> None:
        drawn.append(data)
        news.set()

    monkeypatch.setattr(prompt_line, "say_lines", printed.extend)
    monkeypatch.setattr(DummyOutput, "write", draw)
    session, task = await begun(tmp_path, typist)
    asked = asyncio.create_task(session.line.ask_secret("Token: "))
    await asyncio.sleep(0)
    typist.press("h4sh\\")
    while "*****" not in "".join(drawn):
        news.clear()
        await asyncio.wait_for(news.wait(), wait_seconds())
    typist.press("\r")
    assert await asyncio.wait_for(asked, wait_seconds()) == "h4sh\\"
    typist.press("seen\r\x04")
    await asyncio.wait_for(task, wait_seconds())
    assert printed == ["› hello", "Token: ", "› seen"]
    assert "4" not in "".join(drawn)
    assert "h4sh" not in (tmp_path / "history").read_text()
