"""Diagnostics and answers of language servers about staged text, as the tools of a session tell the model."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from change_set_support import DONE, GO, call, edit, files, outputs, read
from language_server_support import SLOW
from placet.core.messages import ToolFailed as FailedState
from placet.core.ports import DiagnosticsReport, FeatureAnswer
from placet.languages.features import language_features
from placet.languages.servers.own import OwnServers
from placet.languages.servers.table import TABLE
from placet.sessions.session import Session
from placet.settings import LanguageSettings, ServerSettings
from services_support import TempServices

OFF = {kind.name: ServerSettings(enabled=False) for kind in TABLE}
SETTINGS = LanguageSettings(own=True, servers={**OFF, "slow": ServerSettings(command=SLOW, suffixes=(".slow",))})


class Editor:
    """Editor whose language servers know the files as the files are."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer
        self.judged: list[Path] = []

    async def diagnostics(self, paths: Any, *, after: Any = None, timeout_seconds: float = 3.0) -> DiagnosticsReport:
        self.judged += paths or ()
        return DiagnosticsReport((), frozenset(paths or ()), provider="the editor")

    async def request(self, method: str, params: Any, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
        return FeatureAnswer("ok", self.answer, ("the editor",))

    async def close(self) -> None: ...


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    for name in ("a.slow", "b.slow", "a.txt"):
        (services.project / name).write_text("".join(f"{name} {number}\n" for number in range(3)))
    return services


@asynccontextmanager
async def after_turn(
    services: TempServices, editor: Editor, *steps: Any, may_start: bool = True
) -> AsyncGenerator[Session]:
    servers = OwnServers(services.documents, [services.project], SETTINGS, may_start=may_start)
    services.features = language_features(services.documents, [services.project], servers, editor)
    async with services.open(
        services.script(*steps, DONE), review="stage", diagnostics={"timeout_seconds": 60}
    ) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        yield session


async def test_the_diagnostics_after_a_staged_edit_are_of_the_proposed_text(services: TempServices) -> None:
    editor = Editor()
    (services.project / "a.slow").write_text("a.slow 0\na.slow 1\na.slow 2\nan old bad line\n")
    before = files(services)
    steps = (
        read("a.slow"),
        edit("a.slow", 1, "fine\nbad\n"),
        call("lsp", operation="diagnostics", filePath="a.slow"),
        edit("a.slow", 2, "bad too\n"),
    )
    async with after_turn(services, editor, *steps) as session:
        _, first, asked, second = outputs(session)
        assert "Diagnostics (slow, asked by Placet about the proposed text; fresh" in first
        assert "1 error new. (1 from before remain.)" in first
        assert "a.slow:3:1: error: bad word" in first
        assert "a.slow:3:1: error: bad word" in asked
        assert "(From slow, asked by Placet about the proposed text.)" in asked
        assert "1 error new. (2 from before remain.)" in second
        assert editor.judged == []
        assert files(services) == before
    deltas = [event.update for event in services.screen.events if event.update.kind == "diagnostics_delta"]
    assert [(delta.proposed, len(delta.added)) for delta in deltas] == [(True, 1), (True, 1)]


async def test_positions_by_the_editor_in_a_staged_file_are_said_to_be_without_the_staged_change(
    services: TempServices,
) -> None:
    place = {
        "uri": (services.project / "a.slow").as_uri(),
        "range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 1}},
    }
    steps = (
        read("a.slow"),
        edit("a.slow", 0, "x\ny\n"),
        call("lsp", operation="findReferences", filePath="a.txt", line=1, character=1),
    )
    async with after_turn(services, Editor([place]), *steps) as session:
        assert "Positions in a.slow are those of the file as it is, without the staged change" in outputs(session)[-1]


async def test_a_rename_by_the_editor_that_touches_a_staged_file_changes_nothing(services: TempServices) -> None:
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    change = {"changes": {(services.project / "a.slow").as_uri(): [{"range": span, "newText": "z"}]}}
    steps = (
        read("a.slow"),
        edit("a.slow", 0, "x\ny\n"),
        read("a.txt"),
        call("lsp", operation="rename", filePath="a.txt", line=1, character=1, newName="z"),
    )
    async with after_turn(services, Editor(change), *steps) as session:
        states = [getattr(part, "state", None) for message in session.messages for part in message.parts]
        (failed,) = [state for state in states if isinstance(state, FailedState)]
        assert "a.slow is staged" in failed.error
        (view,) = await session.change_set.views()
        assert view.file.text.startswith("x\ny\n")


async def test_where_nobody_knows_the_staged_text_the_editor_is_not_asked_in_its_place(services: TempServices) -> None:
    editor = Editor({"contents": "by the editor"})
    steps = (read("a.slow"), edit("a.slow", 1, "bad\n"))
    asked = call("lsp", operation="hover", filePath="a.slow", line=1, character=1)
    async with after_turn(services, editor, *steps, asked, may_start=False) as session:
        states = [getattr(part, "state", None) for message in session.messages for part in message.parts]
        (failed,) = [state for state in states if isinstance(state, FailedState)]
        assert "No language server here answers" in failed.error
