"""Servers of Placet are told the staged texts of a session, and the present texts again for everybody else."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from language_server_support import SLOW
from placet.core.errors import DocumentMissing
from placet.core.ports import DiagnosticsReport, Document, Documents, FeatureAnswer, LanguageFeatures
from placet.languages.features import language_features
from placet.languages.servers.features import unversioned
from placet.languages.servers.own import OwnServers
from placet.languages.servers.table import TABLE
from placet.project.files.disk import DiskDocuments
from placet.settings import LanguageSettings, ServerSettings

PATIENT = 60.0


class Staged(DiskDocuments):
    """Files of the disk under some texts, as a session with staged files sees the files."""

    def __init__(self, texts: dict[Path, str | None]) -> None:
        super().__init__()
        self.texts = texts

    async def read(self, path: Path) -> Document:
        if path not in self.texts:
            return await super().read(path)
        if (text := self.texts[path]) is None:
            raise DocumentMissing(str(path))
        return Document(path, text, "disk", dirty=True)

    async def unsaved(self) -> list[Document]:
        return [await self.read(path) for path, text in self.texts.items() if text is not None]

    async def paths(self) -> list[Path]:
        return list(self.texts)


class Editor:
    """Editor that knows the files on the disk, and notes the files of the questions."""

    def __init__(self) -> None:
        self.asked: list[Path] = []

    async def diagnostics(self, paths: Any, *, after: Any = None, timeout_seconds: float = 3.0) -> DiagnosticsReport:
        self.asked += paths or ()
        return DiagnosticsReport((), frozenset(paths or ()), provider="the editor")

    async def request(self, method: str, params: Any, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
        return FeatureAnswer("ok", {"contents": "by the editor"}, ("the editor",))

    async def close(self) -> None: ...


def settings() -> LanguageSettings:
    switched_off = {kind.name: ServerSettings(enabled=False) for kind in TABLE}
    return LanguageSettings(
        own=True, servers={**switched_off, "slow": ServerSettings(command=SLOW, suffixes=(".slow",))}
    )


@asynccontextmanager
async def opened(
    root: Path, documents: Documents, editor: LanguageFeatures | None = None, *, may_start: bool = True
) -> AsyncGenerator[Any]:
    servers = OwnServers(documents, [root], settings(), may_start=may_start)
    features = language_features(documents, [root], servers, editor)
    try:
        yield features
    finally:
        await features.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.slow"
    path.write_text("fine\n", "utf-8")
    (tmp_path / "b.slow").write_text("fine\n", "utf-8")
    return path


def at(path: Path) -> dict[str, Any]:
    return {"textDocument": {"uri": path.as_uri()}, "position": {"line": 0, "character": 0}}


async def lines(features: LanguageFeatures, path: Path) -> list[int]:
    report = await features.diagnostics([path], timeout_seconds=PATIENT)
    assert report.fresh == {path}
    return [diagnostic.line for diagnostic in report.diagnostics]


async def test_the_server_judges_the_staged_text_and_the_editor_is_not_asked(file: Path) -> None:
    staged, editor = Staged({file: "fine\nbad\n"}), Editor()
    async with opened(file.parent, DiskDocuments(), editor) as features:
        over = features.over(staged, "ses_1", staged.paths)
        report = await over.diagnostics([file], timeout_seconds=PATIENT)
        assert [(diagnostic.line, diagnostic.message) for diagnostic in report.diagnostics] == [(1, "bad word")]
        assert (report.provider, report.is_proposed, report.fresh) == ("slow", True, {file})
        answer = await over.request("textDocument/hover", at(file), timeout_seconds=PATIENT)
        assert answer.result["contents"].startswith("pid")
        assert answer.is_proposed
        assert editor.asked == []


async def test_without_staged_files_the_editor_answers_as_ever(file: Path) -> None:
    staged, editor = Staged({}), Editor()
    async with opened(file.parent, DiskDocuments(), editor) as features:
        over = features.over(staged, "ses_1", staged.paths)
        report = await over.diagnostics([file])
        assert (report.provider, report.is_proposed) == ("the editor", False)
        assert not (await over.request("textDocument/hover", at(file))).is_proposed


async def test_a_file_of_another_language_than_the_staged_file_is_still_the_editors(file: Path) -> None:
    staged, editor, other = Staged({file: "bad\n"}), Editor(), file.with_suffix(".md")
    other.write_text("words\n")
    async with opened(file.parent, DiskDocuments(), editor) as features:
        report = await features.over(staged, "ses_1", staged.paths).diagnostics([other, file], timeout_seconds=PATIENT)
        assert editor.asked == [other]
        assert report.fresh == {other, file}
        assert {diagnostic.path for diagnostic in report.diagnostics} == {file}


async def test_an_unstaged_file_is_judged_beside_the_staged_texts_of_the_same_language(file: Path) -> None:
    beside, editor = file.with_name("b.slow"), Editor()
    staged = Staged({file: "fine\nbad\n"})
    async with opened(file.parent, DiskDocuments(), editor) as features:
        over = features.over(staged, "ses_1", staged.paths)
        answer = await over.request("textDocument/references", at(beside), timeout_seconds=PATIENT)
        assert [(place["uri"], place["range"]["start"]["line"]) for place in answer.result] == [(file.as_uri(), 1)]
        staged.texts.clear()  # The user has rejected the change.
        staged.texts[beside] = "bad\n"
        answer = await over.request("textDocument/references", at(beside), timeout_seconds=PATIENT)
        assert [place["uri"] for place in answer.result] == [beside.as_uri()]


async def test_nobody_else_sees_the_staged_texts_and_the_server_hears_of_no_file_on_the_disk(file: Path) -> None:
    first, second = Staged({file: "bad\n"}), Staged({file: "fine\nfine\nbad\n", file.with_name("b.slow"): None})
    async with opened(file.parent, DiskDocuments()) as features:
        views = [features.over(staged, name, staged.paths) for staged, name in ((first, "ses_1"), (second, "ses_2"))]
        assert await lines(features, file) == []
        for _ in range(2):
            assert await lines(views[0], file) == [0]
            assert await lines(views[1], file) == [2]
            notices = await views[1].request("textDocument/signatureHelp", at(file), timeout_seconds=PATIENT)
            assert notices.result["signatures"] == [{"label": ""}]
        many = [lines(view, file) for view in (*views, features, *views, features)]
        assert await asyncio.gather(*many) == [[0], [2], [], [0], [2], []]


async def test_the_known_diagnostics_after_a_change_of_the_view_are_of_this_view(file: Path) -> None:
    staged = Staged({file: "bad\n"})
    async with opened(file.parent, DiskDocuments()) as features:
        over = features.over(staged, "ses_1", staged.paths)
        assert await lines(over, file) == [0]
        assert [known.line for known in (await over.diagnostics(None)).diagnostics] == [0]
        assert (await features.diagnostics(None)).diagnostics == ()


async def test_where_no_server_may_start_the_staged_text_is_judged_by_its_syntax_alone(tmp_path: Path) -> None:
    file, editor = tmp_path / "a.py", Editor()
    file.write_text("x = 1\n")
    staged = Staged({file: "x = (\n"})
    async with opened(tmp_path, DiskDocuments(), editor, may_start=False) as features:
        over = features.over(staged, "ses_1", staged.paths)
        report = await over.diagnostics([file])
        assert (report.provider, report.is_proposed) == ("tree-sitter", True)
        assert report.diagnostics
        words = tmp_path / "a.txt"
        staged.texts[words] = "words\n"
        assert (await over.diagnostics([words])).unserved == {words}
        assert (await over.request("textDocument/hover", at(words))).status == "noProvider"
        assert editor.asked == []


def test_a_servers_own_versions_of_documents_are_not_taken_for_the_editors() -> None:
    edit = {"documentChanges": [{"textDocument": {"uri": "file:///a", "version": 7}, "edits": [{"newText": "x"}]}]}
    assert unversioned(edit) == {
        "documentChanges": [{"textDocument": {"uri": "file:///a"}, "edits": [{"newText": "x"}]}]
    }
