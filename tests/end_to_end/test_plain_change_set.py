"""The change set in an editor without our plugin: code actions in the files, and the `.diff` document of the set."""

import json
from pathlib import Path
from typing import Any

import pytest

from fake_editor.client import DaemonEditor, daemon
from fake_editor.editor import FakeBuffer
from fake_editor.profiles import EGLOT, HELIX, KATE, EditorProfile

OLD = "alpha old\n" + "".join(f"line {number}\n" for number in range(9)) + "omega old\n"
READ = {"call": "read", "arguments": {"filePath": "a.txt"}}
EDIT = {
    "call": "edit",
    "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new", "replaceAll": True},
}
PROFILES = pytest.mark.parametrize("profile", [HELIX, KATE, EGLOT], ids=lambda profile: profile.name)
CREATE = {"call": "write", "arguments": {"filePath": "b.txt", "content": "fresh\n"}}


def script(directory: Path, *turns: list[dict[str, Any]]) -> str:
    path = directory / "script.json"
    path.write_text(json.dumps({"turns": [{"events": events} for events in turns]}))
    return f"scripted/{path}"


async def actions(desk: DaemonEditor, uri: str, line: int = 0) -> dict[str, Any]:
    """Return the code actions at the line, by title."""
    at = {"line": line, "character": 0}
    params = {"textDocument": {"uri": uri}, "range": {"start": at, "end": at}, "context": {"diagnostics": []}}
    return {offered["title"]: offered["command"] for offered in await desk.request("textDocument/codeAction", params)}


async def choose(desk: DaemonEditor, offered: dict[str, Any], title: str) -> None:
    await desk.command(offered[title]["command"], *offered[title]["arguments"])


async def said(desk: DaemonEditor, text: str) -> None:
    await desk.editor.wait_until(lambda: any(text in message for message in desk.messages()))


def text_in(desk: DaemonEditor, buffer: FakeBuffer) -> str:
    """Return the text of the buffer, once the editor has looked at the disk, as Kate does."""
    desk.editor.look_at_disk()
    return buffer.text


@PROFILES
async def test_a_proposed_change_is_accepted_in_the_file_and_rejected_in_the_diff_document(
    tmp_path: Path, profile: EditorProfile
) -> None:
    file = tmp_path / "a.txt"
    file.write_text(OLD)
    model = script(tmp_path, [READ], [EDIT], [CREATE], [{"text": "Done."}])
    async with daemon(profile, tmp_path, tmp_path / "home", model=model, review="stage") as desk:
        buffer = desk.editor.open(file)
        await desk.command("placet.prompt", "go")
        await said(desk, "Done.")
        assert text_in(desk, buffer) == file.read_text() == OLD
        between = await actions(desk, file.as_uri(), 5)
        assert "Placet: Accept this proposed change" not in between
        assert {"Placet: Accept all in this file", "Placet: Reject all in this file"} <= between.keys()
        offered = await actions(desk, file.as_uri(), 0)
        await choose(desk, offered, "Placet: Accept this proposed change")
        await said(desk, "a.txt: accepted and written")
        assert text_in(desk, buffer) == OLD.replace("alpha old", "alpha new")

        await choose(desk, offered, "Placet: Accept this proposed change")  # The file has another version by now.
        await said(desk, "a.txt: nothing was done, as the file or the change is another by now")
        await choose(desk, await actions(desk, file.as_uri(), 5), "Placet: Open the change set")
        await said(desk, "The change set is in ")
        [diff] = (tmp_path / "home" / "cache" / "placet" / "reviews").glob("review-set-*.diff")
        review = diff.as_uri()
        shown = [request["uri"] for request in desk.editor.requests_of("window/showDocument")]
        assert shown == ([] if profile is KATE else [review])
        lines = diff.read_text().split("\n")
        assert "+alpha new" not in lines
        offered = await actions(desk, review, lines.index("+omega new"))
        assert "Placet: Accept all 2 proposed files" in offered
        await choose(desk, offered, "Placet: Reject this proposed change")
        await said(desk, "a.txt: rejected")
        assert text_in(desk, buffer) == OLD.replace("alpha old", "alpha new")
        lines = diff.read_text().split("\n")
        assert "+omega new" not in lines
        await choose(desk, await actions(desk, review, lines.index("+fresh")), "Placet: Accept this proposed change")
        await said(desk, "b.txt: accepted and written")
        assert (tmp_path / "b.txt").read_text() == "fresh\n"
        assert "Placet: Open the change set" not in await actions(desk, file.as_uri())
        await desk.command("placet.changes")
        await said(desk, "The change set is empty.")


async def test_a_hunk_in_conflict_has_actions_of_its_own_and_the_others_are_accepted(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text(OLD)
    model = script(tmp_path, [READ], [EDIT], [{"text": "Done."}])
    async with daemon(HELIX, tmp_path, tmp_path / "home", model=model, review="stage") as desk:
        buffer = desk.editor.open(file)
        await desk.command("placet.prompt", "go")
        await said(desk, "Done.")
        mine = OLD.replace("alpha old", "alpha mine")
        desk.editor.type(file, "alpha mine", instead_of="alpha old")
        offered = await actions(desk, file.as_uri(), 0)
        assert "Placet: Accept this proposed change" not in offered
        assert {"Placet: Take theirs (conflict at line 1)", "Placet: Keep mine (conflict at line 1)"} <= offered.keys()
        await choose(desk, offered, "Placet: Accept all in this file")
        await said(desk, "a.txt: accepted and written (1 hunk in conflict still waits for your decision.)")
        assert buffer.text == mine.replace("omega old", "omega new")
        offered = await actions(desk, file.as_uri(), 0)
        assert "Placet: Accept all in this file" not in offered
        await choose(desk, offered, "Placet: Take theirs (conflict at line 1)")
        await desk.editor.wait_until(lambda: buffer.text == OLD.replace("old", "new"))


@PROFILES
async def test_an_unreviewed_change_is_kept_or_undone_in_the_file(tmp_path: Path, profile: EditorProfile) -> None:
    file = tmp_path / "a.txt"
    file.write_text(OLD)
    model = script(tmp_path, [READ], [EDIT], [{"text": "Done."}])
    async with daemon(profile, tmp_path, tmp_path / "home", model=model, review="apply") as desk:
        buffer = desk.editor.open(file)
        await desk.command("placet.prompt", "go")
        await said(desk, "Done.")
        assert text_in(desk, buffer) == OLD.replace("old", "new")
        await choose(desk, await actions(desk, file.as_uri(), 0), "Placet: Keep this unreviewed change")
        await said(desk, "a.txt: kept")
        offered = await actions(desk, file.as_uri(), 10)
        assert "Placet: Undo all in this file" not in offered
        await choose(desk, offered, "Placet: Undo this unreviewed change")
        await said(desk, "a.txt: undone")
        assert text_in(desk, buffer) == OLD.replace("alpha old", "alpha new")


async def test_an_unreviewed_file_that_is_no_text_by_now_can_only_be_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text(OLD)
    model = script(tmp_path, [READ], [EDIT], [{"text": "Done."}])
    async with daemon(HELIX, tmp_path, tmp_path / "home", model=model, review="apply") as desk:
        await desk.command("placet.prompt", "go")
        await said(desk, "Done.")
        file.write_bytes(b"\0\xff")
        offered = await actions(desk, file.as_uri())
        assert "Placet: Undo all in this file" not in offered
        await choose(desk, offered, "Placet: Keep all in this file")
        await said(desk, "a.txt: kept")
        assert file.read_bytes() == b"\0\xff"
        assert "Placet: Open the change set" not in await actions(desk, file.as_uri())


async def test_without_a_session_or_with_other_arguments_the_commands_say_so(tmp_path: Path) -> None:
    model = script(tmp_path, [{"text": "Done."}])
    async with daemon(HELIX, tmp_path, tmp_path / "home", model=model, review="stage") as desk:
        await desk.command("placet.changes")
        await said(desk, "There is nothing to review")
        await desk.command("placet.prompt", "go")
        await said(desk, "Done.")
        await desk.command("placet.decide", "accept", "all")
        await said(desk, "works only through the code actions of a change set")
