"""One scenario in every editor: an unsaved buffer, two hunks, a user with an opinion and quick fingers."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fake_editor.client import DaemonEditor, daemon
from fake_editor.editor import FakeEditor, only_hunks
from fake_editor.profiles import KATE, SIX, EditorProfile

BASE = "alpha old\n" + "".join(f"line {number} é\U0001f600\n" for number in range(12)) + "omega old\n"
UNSAVED = BASE.replace("line 5", "line five, unsaved")
READ = {"call": "read", "arguments": {"filePath": "a.txt"}}
EDIT = {
    "call": "edit",
    "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new", "replaceAll": True},
}
DONE = {"text": "Done."}

six_editors = pytest.mark.parametrize("profile", SIX, ids=lambda profile: profile.name)


def script(directory: Path, *turns: dict[str, Any], file: str = "a.txt") -> str:
    """A scripted model's name; `a.txt` in the calls stands for `file`."""
    path = directory / f"{file}.json"
    path.write_text(json.dumps({"turns": [{"events": [event]} for event in turns]}).replace("a.txt", file))
    return f"scripted/{path}"


async def edit_calls(desk: DaemonEditor, session_id: str) -> list[dict[str, Any]]:
    """How each call of the edit tool in a session ended."""
    loaded = await desk.request("agent/session/load", {"sessionId": session_id})
    parts = [event["update"]["part"] for event in loaded["events"] if event["update"]["kind"].startswith("tool_call")]
    states = {part["id"]: part["state"] for part in parts if part["tool"] == "edit"}
    return list(states.values())


# ---------------------------------------------------------------- the scenario


async def with_the_plugin(desk: DaemonEditor, file: Path) -> None:
    """One hunk of two is refused."""
    editor, buffer = desk.editor, desk.editor.buffers[file]
    editor.on_permission = only_hunks(a_txt=[2])
    session_id = await desk.new_session()
    assert (await desk.prompt(session_id, "go"))["stopReason"] == "end_turn"
    assert buffer.text == UNSAVED.replace("omega old", "omega new")
    assert file.read_bytes().decode() == BASE, "an unsaved buffer is not saved by us"
    [state] = await edit_calls(desk, session_id)
    assert state["status"] == "completed"
    assert "+alpha new" in state["output"], "the model was not told which hunk was refused"
    assert "+omega new" not in state["output"].split("+alpha new")[1]
    undone = await desk.request("agent/undo", {"sessionId": session_id})
    assert [one["status"] for one in undone["files"]] == ["restored"]
    assert buffer.text == UNSAVED


async def with_commands(desk: DaemonEditor, file: Path) -> None:
    """A plain editor's user can only say yes or no: first no, then yes."""
    editor, buffer = desk.editor, desk.editor.buffers[file]
    editor.on_message = lambda params: "Reject"
    await desk.command("placet.prompt", "go")
    await editor.wait_until(lambda: any("rejected" in message for message in desk.messages()))
    assert buffer.text == UNSAVED
    [asked] = editor.requests_of("window/showMessageRequest")
    assert "+omega new" in asked["message"]
    editor.on_message = lambda params: "Allow once"
    await desk.command("placet.prompt", "go again")
    await editor.wait_until(lambda: "Done." in desk.messages())
    assert buffer.text == UNSAVED.replace("old", "new")
    assert file.read_bytes().decode() == BASE
    await desk.command("placet.undo")
    await editor.wait_until(lambda: any("restored" in message for message in desk.messages()))
    assert buffer.text == UNSAVED


async def with_kate(desk: DaemonEditor, file: Path) -> None:
    """Kate takes no edit of ours: unsaved text stands in the way, saved text is changed on disk and loaded again."""
    editor, buffer = desk.editor, desk.editor.buffers[file]
    await desk.command("placet.prompt", "go")
    await editor.wait_until(lambda: desk.messages().count("Done.") == 1)
    assert buffer.text == UNSAVED
    assert file.read_bytes().decode() == BASE
    editor.save(file)
    await desk.command("placet.prompt", "go again")
    await editor.wait_until(lambda: desk.messages().count("Done.") == 2)
    editor.look_at_disk()
    assert buffer.text == file.read_bytes().decode() == UNSAVED.replace("old", "new")
    await desk.command("placet.undo")
    await editor.wait_until(lambda: any("restored" in message for message in desk.messages()))
    editor.look_at_disk()
    assert buffer.text == file.read_bytes().decode() == UNSAVED


@six_editors
async def test_an_unsaved_buffer_gets_what_the_user_allowed_and_undo_takes_it_back(
    profile: EditorProfile, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    file = project / "a.txt"
    file.write_bytes(BASE.encode())
    turns = {"kate": [READ, EDIT, DONE, READ, EDIT, DONE]}.get(profile.name, [READ, EDIT, READ, EDIT, DONE])
    model = script(tmp_path, *([READ, EDIT, DONE] if profile.strict else turns))
    async with daemon(profile, project, tmp_path, model=model) as desk:
        buffer = desk.editor.open(file)
        desk.editor.type(file, "five, unsaved", instead_of="5")
        assert buffer.text == UNSAVED
        if profile.strict:
            await with_the_plugin(desk, file)
        elif profile is KATE:
            await with_kate(desk, file)
        else:
            await with_commands(desk, file)
        assert desk.editor.violations == []


# ---------------------------------------------------------------- races

Fingers = Callable[[FakeEditor, Path], None]
Moment = Callable[[FakeEditor, Path, Fingers], None]


def elsewhere(editor: FakeEditor, file: Path) -> None:
    editor.type(file, "typed é\U0001f600\n", after="line 4 é\U0001f600\n")


def above(editor: FakeEditor, file: Path) -> None:
    editor.type(file, "typed\n")


def into_the_same_line(editor: FakeEditor, file: Path) -> None:
    editor.type(file, ", typed", after="omega")


def key_by_key(editor: FakeEditor, file: Path) -> None:
    for number, key in enumerate("typed"):
        editor.type(file, key, after="line 7 " + "typed"[:number])


def while_the_question_is_open(editor: FakeEditor, file: Path, fingers: Fingers) -> None:
    """Once: when asked again, the user has read the new diff."""
    for method in ("editor/requestPermission", "window/showMessageRequest"):
        editor.before[method] = once(lambda params: fingers(editor, file))


def as_the_edit_arrives(editor: FakeEditor, file: Path, fingers: Fingers) -> None:
    editor.before["workspace/applyEdit"] = once(lambda params: fingers(editor, file))


def before_the_daemon_hears_of_it(editor: FakeEditor, file: Path, fingers: Fingers) -> None:
    def type_and_tell_late(params: Any) -> None:
        editor.hold(file)
        fingers(editor, file)
        asyncio.get_running_loop().call_later(0.05, editor.release, file)

    editor.before["workspace/applyEdit"] = once(type_and_tell_late)


def right_behind_the_edit(editor: FakeEditor, file: Path, fingers: Fingers) -> None:
    editor.after["workspace/applyEdit"] = once(lambda params: fingers(editor, file))


def in_one_message_with_the_edit(editor: FakeEditor, file: Path, fingers: Fingers) -> None:
    def type_and_tell(params: Any) -> None:
        fingers(editor, file)
        asyncio.get_running_loop().call_later(0.05, editor.release, file)

    editor.before["workspace/applyEdit"] = once(lambda params: editor.hold(file))
    editor.after["workspace/applyEdit"] = once(type_and_tell)


def once(hook: Callable[[Any], None]) -> Callable[[Any], None]:
    waiting = [hook]
    return lambda params: waiting.pop()(params) if waiting else None


@dataclass(frozen=True)
class Race:
    moment: Moment
    fingers: Fingers

    @property
    def name(self) -> str:
        return f"{self.fingers.__name__}-{self.moment.__name__}"


RACES = [
    Race(moment, fingers)
    for moment in (
        while_the_question_is_open,
        as_the_edit_arrives,
        before_the_daemon_hears_of_it,
        right_behind_the_edit,
        in_one_message_with_the_edit,
    )
    for fingers in (elsewhere, above, into_the_same_line, key_by_key)
]


@dataclass
class Result:
    race: Race
    text: str
    """What the user has in the end."""
    typed: set[str]
    """What the user would have with the typing and nothing else."""
    edited: set[str]
    """With both."""
    call: dict[str, Any]
    undone: list[str]
    after_undo: str

    def fault(self) -> str:
        """What is wrong with it, or nothing."""
        if self.text not in self.typed | self.edited:
            return f"neither with nor without the edit: {self.text!r}"
        if (self.call["status"] == "completed") != (self.text in self.edited):
            return f"the model was told otherwise: {self.call}"
        if self.call["status"] == "error" and not self.call["error"]:
            return "no reason was given"
        if self.after_undo not in (self.typed if self.undone == ["restored"] else {self.text}):
            return f"undone ({self.undone}) to {self.after_undo!r}"
        return ""


async def run_race(desk: DaemonEditor, race: Race, directory: Path) -> Result:
    editor = desk.editor
    file = editor.root / f"{race.name}.txt"
    file.write_bytes(BASE.encode())
    model = script(directory, READ, EDIT, DONE, file=file.name)
    buffer = editor.open(file)
    editor.type(file, "five, unsaved", instead_of="5")
    if editor.profile is KATE:
        editor.save(file)
    before = buffer.text
    editor.before.clear()
    editor.after.clear()
    race.moment(editor, file, race.fingers)
    session = await desk.request("agent/session/new", {"model": model})
    result = await desk.prompt(session["id"], "go")
    assert result["stopReason"] == "end_turn", result
    await editor.wait_until(lambda: buffer.held is None)
    editor.look_at_disk()
    [call] = await edit_calls(desk, session["id"])
    text = buffer.text
    undone: list[str] = []
    if call["status"] == "completed":
        files = (await desk.request("agent/undo", {"sessionId": session["id"]}))["files"]
        undone = [one["status"] for one in files]
    editor.look_at_disk()
    typed = {as_typed(before, race, editor)}
    edited = {one.replace("old", "new") for one in typed}
    return Result(race, text, typed, edited, call, undone, buffer.text)


def as_typed(before: str, race: Race, editor: FakeEditor) -> str:
    """The text before, with what the fingers do if they got to do it."""
    scratch = FakeEditor(editor.profile, editor.root)
    path = editor.root / "scratch"
    scratch.open(path).text = before
    race.fingers(scratch, path)
    return scratch.buffers[path].text


@six_editors
async def test_no_character_is_lost_or_doubled_however_the_typing_races_the_edit(
    profile: EditorProfile, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    async with daemon(profile, project, tmp_path) as desk:
        # Without edits of ours in its buffers, Kate can only be raced while it asks.
        races = [race for race in RACES if profile is not KATE or race.moment is while_the_question_is_open]
        results = [await run_race(desk, race, tmp_path) for race in races]
    assert {result.race.name: result.fault() for result in results if result.fault()} == {}
    for result in results:
        far_away = result.race.fingers in (elsewhere, key_by_key)
        behind = result.race.moment in (right_behind_the_edit, in_one_message_with_the_edit)
        # Typing beside the change while the question is open is merged, and the user is asked again.
        is_seen = result.race.fingers is above and result.race.moment is while_the_question_is_open
        expected = "completed" if profile is not KATE and (far_away or behind or is_seen) else "error"
        assert result.call["status"] == expected, (result.race.name, result.call)
        if expected == "completed":
            assert result.undone == ["restored" if far_away or is_seen else "conflict"], result.race.name
