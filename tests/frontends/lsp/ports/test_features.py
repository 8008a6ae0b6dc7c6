"""Diagnostics and language features from the editor, and the positions in them."""

from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from fake_editor.memory import MemoryPeer
from fake_editor.profiles import HELIX, NEOVIM, PLUGIN, VSCODE, EditorProfile
from placet.core.ports import Diagnostic
from placet.frontends.lsp.ports.features import LspFeatures
from placet.frontends.lsp.protocol.positions import convert

LINE = "é\U0001f600 = undefined\n"
COLUMNS = {"utf-8": 9, "utf-16": 6, "utf-32": 5}
"""Where `undefined` starts in LINE."""


class Desk:
    def __init__(self, profile: EditorProfile, root: Path) -> None:
        self.peer = MemoryPeer(profile, root)
        self.editor = self.peer.editor
        self.features = LspFeatures(self.peer, self.peer.buffers)
        self.file = root / "a.py"
        self.file.write_text(LINE, "utf-8")

    def position(self, line: int = 0) -> dict[str, int]:
        return {"line": line, "character": COLUMNS[self.editor.encoding]}

    def diagnostic(self, **more: Any) -> dict[str, Any]:
        return {"range": {"start": self.position(), "end": self.position()}, "message": "unknown name", **more}


@corpus("profile", [VSCODE, NEOVIM])
@corpus("is_open", [True, False])
async def test_diagnostics_come_with_columns_in_code_points(
    profile: EditorProfile, is_open: bool, tmp_path: Path
) -> None:
    desk = Desk(profile, tmp_path)
    if is_open:
        desk.editor.open(desk.file)
    desk.editor.diagnostics[desk.file] = [desk.diagnostic(severity=2, source="ruff", code="F821")]
    report = await desk.features.diagnostics([desk.file], after={desk.file: 3})
    assert report.diagnostics == (Diagnostic(desk.file, 0, 5, 0, 5, 2, "unknown name", "ruff", "F821"),)
    assert report.fresh == {desk.file}
    [params] = desk.editor.requests_of("editor/diagnostics")
    assert params["after"] == {desk.file.as_uri(): 3}
    assert params["timeoutMs"] == 3000


async def test_all_diagnostics_are_asked_for_by_null(tmp_path: Path) -> None:
    desk = Desk(VSCODE, tmp_path)
    desk.editor.diagnostics[desk.file] = [desk.diagnostic(code={"value": 7, "target": "x"}), {"message": "no range"}]
    report = await desk.features.diagnostics(None)
    assert [(one.code, one.severity) for one in report.diagnostics] == [("7", 1)]
    assert desk.editor.requests_of("editor/diagnostics")[0]["uris"] is None


async def test_an_editor_that_offers_nothing_is_asked_nothing(tmp_path: Path) -> None:
    desk = Desk(HELIX, tmp_path)
    report = await desk.features.diagnostics([desk.file])
    assert (report.diagnostics, report.fresh) == ((), frozenset())
    assert (await desk.features.request("textDocument/hover", {})).status == "noProvider"
    assert desk.editor.asked == []


async def test_a_method_the_editor_did_not_list_is_not_sent(tmp_path: Path) -> None:
    desk = Desk(VSCODE, tmp_path)
    assert "workspace/symbol" not in PLUGIN["languageFeatures"]
    assert (await desk.features.request("workspace/symbol", {"query": "x"})).status == "noProvider"
    assert desk.editor.asked == []


async def test_an_editor_that_does_not_answer_has_timed_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("placet.frontends.lsp.ports.features._GRACE_SECONDS", 0.02)
    desk = Desk(VSCODE, tmp_path)
    desk.peer.deaf.update({"editor/languageFeature", "editor/diagnostics"})
    answer = await desk.features.request("textDocument/hover", {}, timeout_seconds=0.02)
    assert answer.status == "timeout"
    assert (await desk.features.diagnostics([desk.file], timeout_seconds=0.02)).diagnostics == ()


@pytest.mark.parametrize("profile", [VSCODE, NEOVIM], ids=lambda profile: profile.name)
async def test_positions_are_utf16_for_the_agent_and_the_connections_for_the_editor(
    profile: EditorProfile, tmp_path: Path
) -> None:
    desk = Desk(profile, tmp_path)
    uri = desk.file.as_uri()
    here = {"start": desk.position(), "end": desk.position()}
    desk.editor.features["textDocument/rename"] = {"changes": {uri: [{"range": here, "newText": "x"}]}}
    wanted = {"line": 0, "character": COLUMNS["utf-16"]}
    params = {"textDocument": {"uri": uri}, "position": wanted, "newName": "x"}
    answer = await desk.features.request("textDocument/rename", params)
    assert desk.editor.requests_of("editor/languageFeature")[0]["params"]["position"] == desk.position()
    assert answer.status == "ok"
    assert answer.providers == ("fake",)
    assert answer.result == {"changes": {uri: [{"range": {"start": wanted, "end": wanted}, "newText": "x"}]}}


def test_a_link_is_counted_in_the_target_and_its_origin_where_it_was_asked() -> None:
    lines = {"file:///a": "é1", "file:///b": "\U0001f600\U0001f600"}
    link = {
        "originSelectionRange": {"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": 3}},
        "targetUri": "file:///b",
        "targetRange": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 8}},
    }
    [converted] = convert([link], "file:///a", "utf-8", "utf-16", lambda uri, number: lines[uri])
    assert converted["originSelectionRange"]["start"]["character"] == 1
    assert converted["targetRange"]["start"]["character"] == 2
    assert converted["targetRange"]["end"]["character"] == 4


def test_positions_in_unknown_texts_stay_as_they_are() -> None:
    value = {"uri": "file:///a", "range": {"start": {"line": 0, "character": 9}}}
    assert convert(value, "", "utf-8", "utf-16", lambda uri, number: None) == value


def test_what_belongs_to_a_server_alone_stays_as_it_was() -> None:
    position = {"line": 0, "character": 2}
    value = {"uri": "file:///a", "range": {"start": position}, "data": [position], "arguments": [position]}
    converted = convert(value, "", "utf-8", "utf-16", lambda uri, number: "é1")
    assert converted == {**value, "range": {"start": {"line": 0, "character": 1}}}
