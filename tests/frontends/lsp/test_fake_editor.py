"""The fake editors are wrong in the way the real ones are (lsp.md section 2, editors-ux.md first table)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from fake_editor.editor import FakeEditor, Refused
from fake_editor.memory import MemoryPeer
from fake_editor.profiles import EGLOT, HELIX, KATE, NEOVIM, SIX, STOCK_NEOVIM, STOCK_VSCODE, VSCODE, EditorProfile
from fake_editor.text import sha256

CONTENT = "one\ntwo\n"
AT_START = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}


def editor_with(profile: EditorProfile, root: Path, *names: str) -> tuple[FakeEditor, list[Path]]:
    editor = FakeEditor(profile, root)
    paths = [root / name for name in names]
    for path in paths:
        path.write_text(CONTENT)
        editor.open(path)
    return editor, paths


def edit_of(editor: FakeEditor, *versions: tuple[Path, int | None]) -> dict[str, Any]:
    changes = [
        {
            "textDocument": {"uri": path.as_uri(), "version": version},
            "edits": [{"range": AT_START, "newText": "ONE"}],
        }
        for path, version in versions
    ]
    return {"edit": {"documentChanges": changes}}


async def apply(editor: FakeEditor, params: dict[str, Any]) -> dict[str, Any]:
    return await editor.answer("workspace/applyEdit", params)


async def test_neovim_without_our_plugin_lies_about_the_first_file_and_overwrites_the_second(tmp_path: Path) -> None:
    editor, paths = editor_with(STOCK_NEOVIM, tmp_path, "a", "b")
    for path in paths:
        editor.type(path, "x")
    answer = await apply(editor, edit_of(editor, *((path, 0) for path in paths)))
    assert answer == {"applied": True}
    assert [editor.buffers[path].text for path in paths] == ["x" + CONTENT, "ONEe\ntwo\n"]


async def test_vscode_checks_all_open_documents_first(tmp_path: Path) -> None:
    editor, paths = editor_with(STOCK_VSCODE, tmp_path, "a", "b")
    editor.type(paths[1], "x")
    assert await apply(editor, edit_of(editor, *((path, 1) for path in paths))) == {"applied": False}
    assert editor.buffers[paths[0]].text == CONTENT


async def test_helix_stops_in_the_middle_and_says_where(tmp_path: Path) -> None:
    editor, paths = editor_with(HELIX, tmp_path, "a", "b")
    editor.type(paths[1], "x")
    answer = await apply(editor, edit_of(editor, *((path, 0) for path in paths)))
    assert (answer["applied"], answer["failedChange"]) == (False, 1)
    assert editor.buffers[paths[0]].text == "ONE\ntwo\n"


async def test_eglot_answers_a_stale_edit_with_an_error(tmp_path: Path) -> None:
    editor, [path] = editor_with(EGLOT, tmp_path, "a")
    editor.type(path, "x")
    with pytest.raises(Refused):
        await apply(editor, edit_of(editor, (path, 0)))


async def test_kate_takes_edits_only_within_two_seconds_of_a_command_and_looks_at_no_version(tmp_path: Path) -> None:
    editor, [path] = editor_with(KATE, tmp_path, "a")
    now = 100.0
    editor.clock = lambda: now
    assert await apply(editor, edit_of(editor, (path, 0))) == {"applied": False}
    editor.command_was_run()
    editor.type(path, "x")
    assert await apply(editor, edit_of(editor, (path, 0))) == {"applied": True}
    assert editor.buffers[path].text == "ONEe\ntwo\n"
    now = 102.1
    assert await apply(editor, edit_of(editor, (path, 0))) == {"applied": False}


async def test_stock_editors_leave_what_they_loaded_for_an_edit_hidden_and_unsaved(tmp_path: Path) -> None:
    for profile in (STOCK_NEOVIM, HELIX):
        editor, _ = editor_with(profile, tmp_path)
        path = tmp_path / "hidden"
        path.write_text(CONTENT)
        assert (await apply(editor, edit_of(editor, (path, None))))["applied"]
        buffer = editor.buffers[path]
        assert (buffer.attached, buffer.dirty, path.read_text()) == (False, True, CONTENT)


async def test_helix_never_answers_a_prompt_that_another_has_replaced(tmp_path: Path) -> None:
    editor = FakeEditor(HELIX, tmp_path)
    open_prompt = asyncio.Event()
    editor.on_message = lambda params: open_prompt.wait()
    first = asyncio.ensure_future(editor.answer("window/showMessageRequest", {}))
    await editor.wait_until(lambda: len(editor.asked) == 1)
    second = asyncio.ensure_future(editor.answer("window/showMessageRequest", {}))
    await editor.wait_until(lambda: len(editor.asked) == 2)
    open_prompt.set()
    await asyncio.wait({first, second}, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.wait({first, second}, timeout=0.05)
    assert [first.done(), second.done()].count(False) == 1
    assert editor.violations
    for one in (first, second):
        one.cancel()


@corpus("profile", SIX)
async def test_a_prompt_put_away_is_answered_as_each_editor_does(profile: EditorProfile, tmp_path: Path) -> None:
    editor = FakeEditor(profile, tmp_path)
    editor.on_message = lambda params: None
    expected = {} if profile is KATE else None
    assert await editor.answer("window/showMessageRequest", {}) == expected


@pytest.mark.parametrize("profile", [VSCODE, NEOVIM], ids=lambda profile: profile.name)
async def test_our_plugins_check_every_file_before_they_change_one_and_make_one_undo_step(
    profile: EditorProfile, tmp_path: Path
) -> None:
    editor, paths = editor_with(profile, tmp_path, "a", "b")
    first = profile.first_version
    expect = [{"uri": path.as_uri(), "version": first, "sha256": sha256(CONTENT)} for path in paths]
    params = edit_of(editor, *((path, first) for path in paths))
    params["agent"] = {"editId": "1", "expect": expect, "save": "ifWasClean"}
    editor.type(paths[1], "x")
    assert not (await apply(editor, params))["applied"]
    assert editor.buffers[paths[0]].text == CONTENT
    editor.undo(paths[1])
    params = edit_of(editor, (paths[0], first), (paths[1], editor.buffers[paths[1]].version))
    params["agent"] = {"editId": "2", "expect": expect, "save": "ifWasClean"}
    assert (await apply(editor, params))["applied"]
    assert (await apply(editor, params))["applied"]
    for path in paths:
        assert path.read_text() == editor.buffers[path].text == "ONE\ntwo\n"
        editor.undo(path)
        assert editor.buffers[path].text == CONTENT


@corpus("profile", SIX)
async def test_whatever_the_user_does_the_synced_copy_follows(profile: EditorProfile, tmp_path: Path) -> None:
    peer = MemoryPeer(profile, tmp_path)
    path = tmp_path / "a"
    path.write_text("é\U0001f600 one\ntwo\n", "utf-8")
    buffer = peer.editor.open(path)

    def copy() -> tuple[str, int]:
        found = peer.buffers.find(path)
        assert found is not None
        return found.text, found.version

    peer.editor.type(path, "\U0001f600x", after="é\U0001f600")
    assert copy() == (buffer.text, buffer.version)
    peer.editor.type(path, "zwei\ndrei", instead_of="two")
    peer.editor.hold(path)
    peer.editor.type(path, "1")
    peer.editor.edit(path, [(0, 1, ""), (3, 3, "a"), (3, 3, "b")])
    assert copy() != (buffer.text, buffer.version)
    peer.editor.release(path)
    assert copy() == (buffer.text, buffer.version)
    peer.editor.undo(path)
    peer.editor.save(path)
    assert copy() == (buffer.text, buffer.version)
    assert not buffer.dirty
    peer.editor.close(path)
    assert peer.buffers.find(path) is None
