"""The commands of an editor without our plugin, in front of a real daemon."""

import json
from pathlib import Path
from typing import Any

from fake_editor.client import daemon
from fake_editor.profiles import HELIX, VSCODE

WRITE = {"call": "write", "arguments": {"filePath": "new.txt", "content": "new\n"}}


def script(directory: Path, *events: dict[str, Any]) -> str:
    path = directory / "script.json"
    path.write_text(json.dumps({"turns": [{"events": [event]} for event in events]}))
    return f"scripted/{path}"


async def test_a_prompt_that_was_put_away_is_opened_again_by_a_command(tmp_path: Path) -> None:
    async with daemon(HELIX, tmp_path, tmp_path / "home", model=script(tmp_path, WRITE, {"text": "Done."})) as desk:
        titles = iter([None, "Allow once"])
        desk.editor.on_message = lambda params: next(titles)
        await desk.command("placet.prompt", "go")
        await desk.editor.wait_until(lambda: any("placet.permission" in message for message in desk.messages()))
        assert not (tmp_path / "new.txt").exists()
        await desk.command("placet.permission")
        await desk.editor.wait_until(lambda: "Done." in desk.messages())
        assert (tmp_path / "new.txt").read_text() == "new\n"
        await desk.command("placet.permission")
        await desk.editor.wait_until(lambda: "No request waits for an answer." in desk.messages())


async def test_cancel_takes_the_question_off_the_screen_and_changes_nothing(tmp_path: Path) -> None:
    async with daemon(HELIX, tmp_path, tmp_path / "home", model=script(tmp_path, WRITE, {"text": "Done."})) as desk:
        never = desk.editor.forever
        desk.editor.on_message = lambda params: never()
        await desk.command("placet.prompt", "go")
        await desk.editor.wait_until(lambda: bool(desk.editor.requests_of("window/showMessageRequest")))
        await desk.command("placet.cancel")
        await desk.editor.wait_until(lambda: "Placet was stopped." in desk.messages())
        await desk.editor.wait_until(lambda: desk.editor.taken_off == ["window/showMessageRequest"])
        assert not (tmp_path / "new.txt").exists()


async def test_a_failure_is_said_and_does_not_end_the_daemon(tmp_path: Path) -> None:
    error = {"error": "authentication", "message": "The key is wrong.", "hint": "Set another."}
    model = script(tmp_path, error, {"text": "Better."})
    async with daemon(HELIX, tmp_path, tmp_path / "home", model=model) as desk:
        await desk.command("placet.undo")
        await desk.editor.wait_until(lambda: any("nothing to undo" in message for message in desk.messages()))
        await desk.command("placet.prompt")
        await desk.editor.wait_until(lambda: any('["text"]' in message for message in desk.messages()))
        await desk.command("placet.prompt", "go")
        await desk.editor.wait_until(lambda: "The key is wrong. Set another." in desk.messages())
        await desk.command("placet.prompt", "go on")
        await desk.editor.wait_until(lambda: "Better." in desk.messages())


async def test_a_client_with_our_plugin_can_leave_in_the_middle_of_a_question(tmp_path: Path) -> None:
    async with daemon(VSCODE, tmp_path, tmp_path / "home", model=script(tmp_path, WRITE)) as desk:
        never = desk.editor.forever
        desk.editor.on_permission = lambda params: never()
        session_id = await desk.new_session()
        desk.begin_prompt(session_id, "go")
        await desk.editor.wait_until(lambda: bool(desk.editor.requests_of("editor/requestPermission")))
    assert not (tmp_path / "new.txt").exists()
