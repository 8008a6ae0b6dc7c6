"""A daemon that is killed in the middle of a turn, and what the next one finds."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

from corpus_support import corpus
from fork_support.started import start_placet
from placet.core.messages import AssistantMessage, PatchPart, TextPart, ToolPart, UserMessage
from placet.core.transcript import Transcript
from placet.settings import Locations
from services_support import TempServices

READ = {"call": "read", "arguments": {"filePath": "a.txt"}}
EDIT = {"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}


class Victim:
    """`placet run --json` on the services's project, to be killed once it has shown something."""

    def __init__(self, directory: Path, *turns: list[dict]) -> None:
        self.services = TempServices(directory)
        self.services.locations = Locations(
            *(directory / name / "placet" for name in ("CONFIG", "DATA", "CACHE", "LOG"))
        )
        (self.services.project / "a.txt").write_text("one\nold\nthree\n")
        model = self.services.script(*turns)
        homes = {f"XDG_{name}_HOME": str(directory / name) for name in ("CONFIG", "DATA", "CACHE")}
        command = ["run", "--json", "--allow", "edit", "--allow", "bash", "go"]
        self.process = start_placet(
            [*command, "--cwd", str(self.services.project), "--model", model], directory, {**os.environ, **homes}
        )
        self.session_id = ""

    def kill_when(self, shown: Callable[[dict], bool]) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            event = json.loads(line)
            self.session_id = event["sessionId"]
            if "update" in event and shown(event["update"]):
                self.process.kill()
                break
        self.process.communicate()
        assert self.process.returncode == -signal.SIGKILL

    async def afterwards(self) -> tuple[Transcript, list[str]]:
        """The transcript the next daemon loads, and what undo does to the files."""
        async with self.services.open() as sessions:
            session = await sessions.load(self.session_id)
            transcript = Transcript()
            for event in session.replay():
                transcript.apply(event.update)
            patches = [part for m in session._recorder.transcript.messages for part in m.parts]
            undone = await session.undo() if any(isinstance(part, PatchPart) for part in patches) else []
            return transcript, [file.status for file in undone]


async def test_killed_in_mid_answer_every_finished_part_is_there_and_undo_works(tmp_path):
    victim = Victim(tmp_path, [{"text": "I read."}, READ], [EDIT], [{"text": "Now I"}, {"wait": "never"}])
    victim.kill_when(lambda update: update["kind"] == "agent_message_chunk" and update["text"] == "Now I")
    assert (victim.services.project / "a.txt").read_text() == "one\nnew\nthree\n"

    transcript, undone = await victim.afterwards()

    user, first, second, *rest = transcript.messages
    assert isinstance(user, UserMessage)
    assert user.stop_reason == "error"
    assert user.error is not None
    assert user.error.code == "interrupted"
    assert [part.text for part in first.parts if isinstance(part, TextPart)] == ["I read."]
    calls = [part for message in (first, second) for part in message.parts if isinstance(part, ToolPart)]
    assert [(part.tool, part.state.status) for part in calls] == [("read", "completed"), ("edit", "completed")]
    assert all(isinstance(message, AssistantMessage) and message.completed for message in rest)
    assert undone == ["restored"]
    assert (victim.services.project / "a.txt").read_text() == "one\nold\nthree\n"


async def test_killed_while_a_command_runs_the_call_is_closed_as_interrupted(tmp_path):
    command = {"command": "echo begun; read -r line < pipe", "description": "wait"}
    victim = Victim(tmp_path, [{"call": "bash", "arguments": command}])
    os.mkfifo(victim.services.project / "pipe")
    victim.kill_when(lambda update: "begun" in str(update.get("part", {}).get("state", {}).get("metadata", "")))

    transcript, _ = await victim.afterwards()
    # Let the orphaned command end.
    with os.fdopen(os.open(victim.services.project / "pipe", os.O_RDWR | os.O_NONBLOCK), "w") as pipe:
        pipe.write("end\n")

    call = transcript.messages[1].parts[-1]
    assert isinstance(call, ToolPart)
    assert call.state.status == "error"
    assert "Placet ended before this was finished" in call.state.error


@corpus("moment", ["turn_started", "tool_call", "change_proposed", "change_applied"])
async def test_whenever_it_is_killed_the_file_is_whole_and_every_call_has_its_result(tmp_path, moment):
    victim = Victim(tmp_path, [READ], [EDIT], [{"wait": "never"}])
    victim.kill_when(lambda update: update["kind"] == moment)

    transcript, _ = await victim.afterwards()

    assert (victim.services.project / "a.txt").read_text() in {"one\nold\nthree\n", "one\nnew\nthree\n"}
    assert sorted(file.name for file in victim.services.project.iterdir()) == ["a.txt"]
    for message in transcript.messages:
        for part in message.parts:
            assert not isinstance(part, ToolPart) or part.state.status in {"completed", "error"}
