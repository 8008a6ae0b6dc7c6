"""`placet pending`, `placet approve` and `placet reject`: what another Placet asks, answered in a terminal."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from ask_support.standing import CHANGE, QUESTION, A, SlowUser, request
from changes_support.answers import answering
from fake_editor.client import daemon
from fake_editor.profiles import HELIX
from fork_support.completed import run_forked
from placet.__main__ import main
from placet.core.ids import new_id, short_id
from placet.core.ports import PermissionAnswer, Question, QuestionOption
from placet.core.values import replace
from placet.sessions.asks.cross_process_approver import CrossProcessApprover
from placet.sessions.asks.pending_asks import PendingAsks
from placet.settings import default_locations
from placet.storage.database import Database
from run_support import Place, Terminal
from time_support import limited, wait_seconds

READ = {"call": "read", "arguments": {"filePath": "a.txt"}}
EDIT = {"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}
"""For what comes at once on a machine that has time."""
SEVERAL = Question("Which", "Which ones?", (QuestionOption("left"), QuestionOption("right")), multiple=True)
CLOSED = Question("Which", "Which one?", (QuestionOption("left"), QuestionOption("right")), custom=False)


class Asker:
    """Another Placet, which asks. What it looks for in the store it looks for often."""

    def __init__(self, database: Database, output: Callable[[], Any]) -> None:
        self.user = SlowUser()
        self._approver = CrossProcessApprover(self.user, PendingAsks(database, look_seconds=0.01))
        self._asks = PendingAsks(database)
        self._output = output

    async def asks(self, *, question: Question | None = None, change: Any = None) -> tuple[asyncio.Task[Any], str]:
        """The ask, standing, and its id."""
        asking: Coroutine[Any, Any, Any]
        asking = self._approver.request_permission(replace(request(change=change), id=new_id("req")))
        if question is not None:
            asking.close()
            asking = self._approver.ask("ses_1", [question])
        known = {one.id for one in await self._asks.listing()}
        task = asyncio.create_task(asking)
        async with limited(lambda: f"a new question; known are {known}"):
            while not (new := [one.id for one in await self._asks.listing() if one.id not in known]):  # noqa: ASYNC110 - a store tells nobody
                await asyncio.sleep(0.01)
        return task, new[0]

    async def placet(self, *arguments: str) -> tuple[int, str, str]:
        """A command line's exit code, stdout and stderr."""
        code = await asyncio.to_thread(main, list(arguments))
        said = self._output()
        return code, said.out, said.err


@pytest_asyncio.fixture
async def asker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> AsyncIterator[Asker]:
    monkeypatch.delenv("PLACET_COMMAND", raising=False)
    for name in ("DATA", "CONFIG", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    database = Database(default_locations().store)
    yield Asker(database, capsys.readouterr)
    await database.close()


async def test_what_waits_is_listed_shown_and_allowed_in_part(asker: Asker) -> None:
    task, ask_id = await asker.asks(change=CHANGE)
    _, listed, _ = await asker.placet("pending")
    assert short_id(ask_id) in listed
    assert ask_id not in listed
    assert "edit a.txt" in listed
    _, shown, _ = await asker.placet("pending", ask_id)
    assert "modify a.txt\n[1] line 4\n" in shown
    assert "-line 15\n+line fifteen\n" in shown
    assert "delete b.txt\n[3]\n" in shown
    assert f"placet approve {short_id(ask_id)} --always session    (*.txt)" in shown
    _, data, _ = await asker.placet("pending", "--json")
    [one] = json.loads(data)
    assert (one["id"], one["sessionId"], one["asked"]["kind"]) == (ask_id, "ses_1", "permission")

    refused = await asker.placet("approve", ask_id, "--hunks", "2-4")
    assert refused == (2, "", "placet: There is no hunk 4: the change has 3 hunks (`placet pending ID`).\n")
    assert await asker.placet("approve", ask_id, "--hunks", "2") == (0, "Allowed once, 1 of 3 hunks: edit a.txt\n", "")
    assert await task == answering({A: {2}})(request(change=CHANGE))


async def test_always_is_granted_as_far_as_it_is_offered(asker: Asker) -> None:
    task, ask_id = await asker.asks()
    refused = await asker.placet("approve", ask_id, "--always", "user")
    assert refused == (2, "", "placet: Nothing was granted: this request offers --always session.\n")
    assert (await asker.placet("approve", "--last", "--always", "session"))[:2] == (
        0,
        "Allowed in this session: edit a.txt\n",
    )
    assert await task == PermissionAnswer("always")


async def test_a_reason_goes_with_a_no(asker: Asker) -> None:
    task, _ = await asker.asks()
    assert (await asker.placet("reject", "--last", "--message", "not that file"))[0] == 0
    assert await task == PermissionAnswer("reject", feedback="not that file")


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (QUESTION, "LEFT", ["left"]),
        (QUESTION, "2", ["right"]),
        (QUESTION, "neither, thanks", ["neither, thanks"]),
        (SEVERAL, "2, left", ["right", "left"]),
    ],
)
async def test_a_question_is_answered_by_an_option_a_number_or_words(
    asker: Asker, question: Question, text: str, answer: list[str]
) -> None:
    task, ask_id = await asker.asks(question=question)
    assert (await asker.placet("approve", ask_id, "--answer", text))[:2] == (0, f"Answered: {question.question}\n")
    assert await task == [answer]


async def test_what_does_not_answer_a_question_is_refused_and_it_still_waits(asker: Asker) -> None:
    task, ask_id = await asker.asks(question=CLOSED)
    for arguments, said in (
        ((), "This is a question: give --answer TEXT once."),
        (("--answer", "up"), "`up` is not one of the answers: 1. left, 2. right."),
        (("--answer", "1", "--answer", "2"), "This is a question: give --answer TEXT once."),
    ):
        assert await asker.placet("approve", ask_id, *arguments) == (2, "", f"placet: {said}\n")
    assert (await asker.placet("reject", ask_id))[:2] == (0, "Declined: Which one?\n")
    assert await task is None


async def test_it_is_said_when_there_is_nothing_to_answer(asker: Asker) -> None:
    assert await asker.placet("pending") == (0, "No request waits for an answer.\n", "")
    assert await asker.placet("approve", "--last") == (2, "", "placet: No request waits for an answer.\n")
    none = "placet: There is no waiting request req_none; no request waits.\n"
    assert await asker.placet("reject", "req_none") == (2, "", none)

    task, ask_id = await asker.asks()
    asker.user.word.set_result(PermissionAnswer("reject"))
    await task
    code, _, said = await asker.placet("approve", ask_id)
    assert (code, said.partition(": it was answered elsewhere")[1]) == (1, ": it was answered elsewhere")


async def test_the_beginning_of_an_id_is_enough_while_no_other_request_begins_so(asker: Asker) -> None:
    first, first_id = await asker.asks()
    assert (await asker.placet("pending", first_id[:8]))[:1] == (0,)
    second, second_id = await asker.asks()

    code, _, said = await asker.placet("approve", first_id[:8])

    assert code == 2
    named = f"{short_id(second_id)}, {short_id(first_id)}"
    assert said == f"placet: Several requests begin with `{first_id[:8]}`: {named}. Write more of the id.\n"
    assert (await asker.placet("approve", short_id(first_id)))[:1] == (0,)
    assert await first == PermissionAnswer("once")
    assert not second.done()

    code, _, said = await asker.placet("approve", second_id[:8])
    assert (code, "Several requests begin" in said) == (2, True), "an answered request keeps its beginning"
    code, _, said = await asker.placet("approve", short_id(first_id))
    assert (code, "no longer waits" in said) == (1, True)
    assert not second.done()
    assert (await asker.placet("reject", second_id))[:1] == (0,)
    await second


@pytest.mark.parametrize("beginning", ["", "r", "req_"])
async def test_the_prefix_of_all_ids_answers_nothing(asker: Asker, beginning: str) -> None:
    task, _ = await asker.asks()
    code, _, said = await asker.placet("approve", beginning)
    assert (code, "There is no waiting request" in said) == (2, True)
    assert not task.done()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def test_short_ids_of_one_process_differ_and_begin_the_whole_ids() -> None:
    ids = [new_id("req") for _ in range(1000)]
    assert len({short_id(one) for one in ids}) == 1000
    assert all(one.startswith(short_id(one)) and len(short_id(one)) == 17 for one in ids)
    assert short_id("other") == "other"


async def test_a_command_of_an_agent_answers_nothing(asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    task, ask_id = await asker.asks()
    monkeypatch.setenv("PLACET_COMMAND", "some")
    code, _, said = await asker.placet("approve", ask_id)
    assert code == 2
    assert "only you can answer" in said
    assert not task.done()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


# ---------------------------------------------------------------- processes


def placet(place: Place, *arguments: str) -> str:
    environment = {name: value for name, value in place.environment.items() if name != "PLACET_COMMAND"}
    result = run_forked(*arguments, environment=environment)
    assert result.returncode == 0, result.stderr
    return result.stdout


def until_listed(place: Place) -> None:
    """It stands on the screen a moment before it can be answered elsewhere."""
    deadline = time.monotonic() + wait_seconds()
    while "Edit a.txt" not in (said := placet(place, "pending")):
        assert time.monotonic() < deadline, said


async def test_what_was_put_away_in_an_editor_is_answered_in_a_terminal(tmp_path: Path) -> None:
    place = Place(tmp_path)
    model = place.script([READ], [EDIT], [{"text": "All done."}])
    homes = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("DATA", "CONFIG", "CACHE", "STATE")}
    place.environment |= homes
    async with daemon(HELIX, place.project, tmp_path, model=model) as desk:
        desk.editor.on_message = lambda params: None
        await desk.command("placet.prompt", "put new for old")
        await desk.editor.wait_until(lambda: any("placet approve" in message for message in desk.messages()))
        assert place.file.read_text() == "one\nold\nthree\n"
        await asyncio.to_thread(until_listed, place)
        told = next(message for message in desk.messages() if "placet approve" in message)
        ask_id = told.partition("placet approve ")[2].partition("`")[0]
        assert (await asyncio.to_thread(placet, place, "approve", ask_id)).startswith("Allowed once:")
        await desk.editor.wait_until(lambda: "All done." in desk.messages())
    assert place.file.read_text() == "one\nnew\nthree\n"


def test_what_a_run_asks_at_its_terminal_is_answered_in_another(tmp_path: Path) -> None:
    place = Place(tmp_path)
    terminal = Terminal(place, "run", "put new for old")
    terminal.wait_for("Allow? ")
    until_listed(place)
    assert placet(place, "approve", "--last").startswith("Allowed once:")
    assert terminal.end() == 0
    assert "All done." in terminal.shown
    assert place.file.read_text() == "one\nnew\nthree\n"


def test_a_run_without_a_terminal_waits_for_an_answer_from_one(tmp_path: Path) -> None:
    place = Place(tmp_path)
    process = place.start("run", "--ask", "wait", "put new for old")
    assert process.stderr is not None
    said = process.stderr.readline()
    assert "placet approve" in said
    until_listed(place)
    placet(place, "reject", said.rpartition("placet approve ")[2].split("`")[0])
    process.communicate()
    assert process.returncode == 4
    assert place.file.read_text() == "one\nold\nthree\n"
