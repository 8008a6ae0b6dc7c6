"""Texts for the model stay with the model: beside each of them stand words for the user."""

from pathlib import Path
from typing import Any

import pytest

from change_set_support import DONE, GO, call, edit, read
from corpus_support import corpus
from placet.core.messages import ToolCompleted, ToolFailed, ToolPart
from placet.core.ports import PermissionAnswer
from placet.sessions.store.archive import ArchivedSession
from placet.sessions.store.markdown import as_markdown
from services_support import AnsweringUser, TempServices

FITS_NOT = "The call did not fit, so nothing was done. The agent is told why."

FAILURES: list[tuple[list[list[dict[str, Any]]], str, bool]] = [
    ([edit("a.txt", 1, "one\n")], FITS_NOT, True),
    ([read("a.txt"), edit("a.txt", 99, "one\n")], FITS_NOT, True),
    ([call("no_such_tool")], FITS_NOT, True),
    ([call("read")], FITS_NOT, True),
    ([call("read", filePath="missing.txt")], "There is no file P/missing.txt.", True),
    ([call("grep", pattern="(")], "regex parse error:", False),
]


@corpus("row", FAILURES)
async def test_the_error_of_a_call_is_told_to_the_user_in_words_for_the_user(
    row: tuple[list[list[dict[str, Any]]], str, bool], tmp_path: Path
) -> None:
    steps, words, is_recovered = row
    services = TempServices(tmp_path)
    (services.project / "a.txt").write_text("a.txt 1\n")
    async with services.open(services.script(*steps, DONE)) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
    exported = as_markdown(ArchivedSession(info=session.info, messages=tuple(session.messages)))
    state = _states(session)[-1]
    assert isinstance(state, ToolFailed)
    assert exported.count("The agent was told:") == (state.shown_error != state.error)
    assert exported.rindex(state.shown_error.strip()) <= exported.rindex(state.error.strip())
    assert state.shown_error.partition("\n")[0] == words.replace("P/", f"{services.project}/")
    assert state.is_recovered is is_recovered


async def test_a_call_that_the_user_rejects_says_so_to_the_user(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    services.user = AnsweringUser(lambda _: PermissionAnswer("reject"))
    async with services.open(services.script(call("write", filePath="a.txt", content="x"), DONE)) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
    (state,) = _states(session)
    assert isinstance(state, ToolFailed)
    assert (state.shown_error, state.is_recovered) == ("You rejected this call.", False)


@pytest.mark.parametrize(
    ("review", "summary"),
    [
        ("ask", "a.txt: written."),
        ("stage", "a.txt: proposed; nothing is written before you accept."),
        ("apply", "a.txt: written, and not reviewed yet."),
    ],
)
async def test_the_result_of_a_change_has_a_summary_for_the_user_beside_the_text_for_the_model(
    tmp_path: Path, review: str, summary: str
) -> None:
    services = TempServices(tmp_path)
    model = services.script(call("write", filePath="a.txt", content="x\n"), DONE)
    async with services.open(model, review=review) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
    (state,) = _states(session)
    assert isinstance(state, ToolCompleted)
    assert state.metadata["summary"] == summary
    assert "Staged means" not in str(state.metadata)


def _states(session: Any) -> list[Any]:
    return [part.state for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
