"""Folders that come into the editor's window and go: inside and outside from then on, and all of them looked into."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from fake_editor.client import DaemonEditor, daemon
from fake_editor.profiles import HELIX, NEOVIM, VSCODE, EditorProfile
from listen_support import home

FIND = {"call": "grep", "arguments": {"pattern": "needle"}}
SEE = {"call": "glob", "arguments": {"pattern": "*.txt"}}
LIST = {"call": "list", "arguments": {}}
DONE = [{"text": "Done."}]


def read(path: Path) -> dict[str, Any]:
    return {"call": "read", "arguments": {"filePath": str(path)}}


@asynccontextmanager
async def window(directory: Path, profile: EditorProfile, *turns: list[dict[str, Any]]) -> AsyncIterator[DaemonEditor]:
    """An editor open on `directory/project`; `directory/other` is another folder."""
    for name in ("project", "other"):
        (directory / name).mkdir()
        (directory / name / f"{name}.txt").write_text("a needle\n")
    script = directory / "script.json"
    script.write_text(json.dumps({"turns": [{"events": events} for events in turns]}))
    async with daemon(profile, directory / "project", directory, model=f"scripted/{script}") as editor:
        yield editor


def asked(desk: DaemonEditor) -> list[str]:
    return [params["permission"] for params in desk.editor.requests_of("editor/requestPermission")]


def outputs(desk: DaemonEditor) -> list[str]:
    parts = [update["part"] for update in desk.updates("tool_call_update")]
    return [part["state"]["output"] for part in parts if part["state"]["status"] == "completed"]


@pytest.mark.parametrize("profile", [VSCODE, NEOVIM], ids=lambda profile: profile.client_name)
async def test_a_folder_that_comes_is_inside_and_one_that_goes_is_outside(
    tmp_path: Path, profile: EditorProfile
) -> None:
    other = tmp_path / "other"
    looks = [[read(other / "other.txt")], DONE]
    async with window(tmp_path, profile, *looks * 4) as desk:
        running = await desk.new_session()
        await desk.prompt(running, "go")
        assert asked(desk) == ["external_directory"]
        desk.editor.change_folders(added=[other])
        await desk.prompt(running, "go")
        assert asked(desk) == ["external_directory"], "inside for the session that was there already"
        desk.editor.change_folders(removed=[other])
        await desk.prompt(running, "go")
        assert asked(desk) == ["external_directory"] * 2
        assert (await desk.request("agent/status", {}))["roots"] == [(tmp_path / "project").as_uri()]


async def test_searches_look_into_every_folder_of_the_window_and_say_so(tmp_path: Path) -> None:
    project, other = tmp_path / "project", tmp_path / "other"
    async with window(tmp_path, VSCODE, [FIND], [SEE], [LIST], DONE) as desk:
        desk.editor.change_folders(added=[other])
        session = await desk.new_session()
        await desk.prompt(session, "go")
        found, seen, listed = outputs(desk)
        for output in (found, seen, listed):
            assert "project.txt" in output
            assert "other.txt" in output
            assert output.endswith(f"(Looked in {project}, {other}.)")
        assert found.startswith("Found 2 matches")
        assert asked(desk) == []


async def test_what_the_project_of_a_folder_that_comes_forbids_holds_from_the_first_turn(tmp_path: Path) -> None:
    other = tmp_path / "other"
    async with window(tmp_path, VSCODE, [FIND], [SEE], DONE) as desk:
        await desk.new_session()
        (other / ".git").mkdir()
        (other / "placet.json").write_text(json.dumps({"permission": {"read": {"*other.txt": "deny"}}}))
        desk.editor.change_folders(added=[other])
        await desk.prompt(await desk.new_session(), "go")
        found, seen = outputs(desk)
        assert found.startswith("Found 1 match\n")
        assert "other.txt" not in found + seen


async def test_editors_of_one_daemon_work_in_what_they_have_open_together(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "other.txt").write_text("a needle\n")
    async with home(tmp_path, [FIND], DONE, [FIND], DONE, [read(other / "other.txt")], DONE) as place:
        (place.project / "project.txt").write_text("a needle\n")
        async with place.editor(NEOVIM) as first:
            session = await first.new_session()
            async with place.editor(HELIX) as second:
                await second.request("agent/status", {})
                second.editor.change_folders(added=[other])
                await second.request("agent/status", {})
                await first.prompt(session, "go")
                assert outputs(first)[-1].startswith("Found 2 matches")
                second.editor.change_folders(removed=[other])
                await second.request("agent/status", {})
                await first.prompt(session, "go")
                assert outputs(first)[-1].startswith("Found 1 match\n")
                second.editor.change_folders(added=[other])
                await second.request("agent/status", {})
            while (await first.request("agent/status", {}))["roots"] != [place.project.as_uri()]:
                pass  # The daemon has not heard yet that the other editor is gone.
            await first.prompt(session, "go")
            assert asked(first) == ["external_directory"]
