"""Files over the true wire: the client's unsaved text is read and edited in the client's name for the session."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from acp_support import ALLOW, EDIT, READ, REJECT, AcpClient
from run_support import Place
from time_support import limited

BOTH = {"fs": {"readTextFile": True, "writeTextFile": True}}
UNSAVED = "typed\none\nold\nthree\n"
SAVED = "one\nold\nthree\n"


class Buffers:
    """Buffers of the client: a write goes into the buffer and is saved."""

    def __init__(self, texts: dict[Path, str] | None = None) -> None:
        self.texts = texts or {}
        self.asked: list[tuple[str, str, str]] = []
        """Method, session and file name of each request."""

    def __call__(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        path = Path(params["path"])
        self.asked.append((method, params["sessionId"], path.name))
        if method == "fs/write_text_file":
            self.texts[path] = params["content"]
            path.write_text(params["content"])
            return {}
        if path in self.texts:
            return {"content": self.texts[path]}
        return {"content": path.read_text()} if path.exists() else None

    def writes(self) -> list[tuple[str, str, str]]:
        return [request for request in self.asked if request[0] == "fs/write_text_file"]


@pytest.mark.parametrize("name", ["zed", "some-client"])
async def test_unsaved_text_is_what_the_model_edits_and_the_client_writes(place: Place, name: str) -> None:
    async with AcpClient(place, capabilities=BOTH, name=name) as client:
        client.permission = lambda params: ALLOW
        buffers = client.files = Buffers({place.file: UNSAVED})
        session_id = await client.opened()
        assert await client.prompt(session_id) == "end_turn"
        assert buffers.texts[place.file] == place.file.read_text() == UNSAVED.replace("old", "new")
        assert buffers.writes() == [("fs/write_text_file", session_id, "a.txt")]
        diff = (await client.asked())["params"]["toolCall"]["content"][0]
        assert (diff["oldText"], diff["newText"]) == (UNSAVED, UNSAVED.replace("old", "new"))
        assert client.text() == "All done."


@pytest.mark.parametrize(("name", "is_written"), [("zed", True), ("agent-shell", True), ("some-client", False)])
async def test_a_clean_file_is_written_by_the_client_where_the_client_keeps_a_review(
    place: Place, name: str, is_written: bool
) -> None:
    async with AcpClient(place, capabilities=BOTH, name=name) as client:
        client.permission = lambda params: ALLOW
        buffers = client.files = Buffers()
        await client.prompt(await client.opened())
        assert place.file.read_text() == SAVED.replace("old", "new")
        assert bool(buffers.writes()) == is_written
        assert "fs/read_text_file" in {method for method, _, _ in buffers.asked}


async def test_a_fault_of_the_client_is_known_in_all_folders_of_the_client(place: Place) -> None:
    place.script([READ], [EDIT], [{"text": "Done."}])
    other = place.directory / "other"
    other.mkdir()
    (other / "a.txt").write_text(SAVED)

    class Doubling(Buffers):
        """A client that ends each written file with another newline."""

        def __call__(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
            if method == "fs/write_text_file":
                params = {**params, "content": params["content"] + "\n"}
            return super().__call__(method, params)

    async with AcpClient(place, capabilities=BOTH, name="zed") as client:
        client.permission = lambda params: ALLOW
        buffers = client.files = Doubling()
        await client.prompt(await client.opened())
        assert len(buffers.writes()) == 1
        await client.prompt(await client.new_session(other))
        assert (other / "a.txt").read_text() == SAVED.replace("old", "new")
        assert len(buffers.writes()) == 1


async def test_a_rejected_edit_is_not_written(place: Place) -> None:
    async with AcpClient(place, capabilities=BOTH, name="zed") as client:
        client.permission = lambda params: REJECT
        buffers = client.files = Buffers({place.file: UNSAVED})
        await client.prompt(await client.opened())
        assert (buffers.texts[place.file], place.file.read_text()) == (UNSAVED, SAVED)
        assert buffers.writes() == []


@pytest.mark.parametrize(
    "capabilities", [{}, {"fs": {}}, {"fs": {"writeTextFile": True}}, {"fs": {"readTextFile": False}}]
)
async def test_a_client_that_gives_no_texts_is_not_asked_and_the_disk_is_edited(
    place: Place, capabilities: dict[str, Any]
) -> None:
    async with AcpClient(place, capabilities=capabilities, name="zed") as client:
        client.permission = lambda params: ALLOW
        buffers = client.files = Buffers({place.file: UNSAVED})
        await client.prompt(await client.opened())
        assert place.file.read_text() == SAVED.replace("old", "new")
        assert buffers.asked == []


async def test_unsaved_text_in_a_client_that_writes_nothing_stays_and_the_model_is_told(place: Place) -> None:
    async with AcpClient(place, capabilities={"fs": {"readTextFile": True}}) as client:
        client.permission = lambda params: ALLOW
        buffers = client.files = Buffers({place.file: UNSAVED})
        assert await client.prompt(await client.opened()) == "end_turn"
        assert (buffers.texts[place.file], place.file.read_text()) == (UNSAVED, SAVED)
        [failed] = [update for update in client.updates("tool_call_update") if update.get("status") == "failed"]
        assert "unsaved changes" in failed["content"][-1]["content"]["text"]


async def test_a_subagent_s_files_are_asked_for_in_the_session_that_the_client_knows(place: Place) -> None:
    task = {
        "call": "task",
        "arguments": {"description": "Change it", "prompt": "Change a.txt.", "subagent_type": "general"},
    }
    place.script([task], [READ], [EDIT], [{"text": "Changed."}], [{"text": "All done."}])
    async with AcpClient(place, capabilities=BOTH) as client:
        client.permission = lambda params: ALLOW
        buffers = client.files = Buffers({place.file: UNSAVED})
        session_id = await client.opened()
        await client.prompt(session_id)
        assert place.file.read_text() == UNSAVED.replace("old", "new")
        assert {session for _, session, _ in buffers.asked} == {session_id}


async def test_files_of_each_session_are_asked_for_in_that_session(place: Place) -> None:
    async with AcpClient(place, capabilities=BOTH) as client:
        client.permission = lambda params: ALLOW
        buffers = client.files = Buffers()
        sessions = [await client.opened(), await client.new_session()]
        for session_id in reversed(sessions):
            buffers.asked.clear()
            place.script([READ], [{"text": "Read."}])
            await client.prompt(session_id)
            assert {session for _, session, name in buffers.asked if name == "a.txt"} == {session_id}


@pytest.mark.parametrize("command", [("review", "--accept"), ("undo",)], ids=lambda command: command[0])
async def test_a_decision_at_a_terminal_leaves_a_file_alone_in_which_unsaved_text_was_read(
    place: Place, command: Sequence[str]
) -> None:
    review = "stage" if command[0] == "review" else "apply"
    place.script([READ], [EDIT], [{"text": "Done."}], [READ], [{"text": "Done."}])
    async with AcpClient(place, capabilities=BOTH) as client:
        client.permission = lambda params: ALLOW
        buffers = client.files = Buffers()
        session_id = await client.opened()
        await client.call("session/set_config_option", {"sessionId": session_id, "configId": "review", "value": review})
        await client.prompt(session_id)
        changed = SAVED.replace("old", "new")
        assert place.file.read_text() == (changed if review == "apply" else SAVED)
        buffers.texts[place.file] = f"typed\n{place.file.read_text()}"
        await client.prompt(session_id)
        before = place.file.read_text()
        refused = await asyncio.to_thread(place.run, *command)
        assert refused.returncode == 1
        assert "has unsaved changes in an editor of another Placet (process " in refused.stdout
        assert place.file.read_text() == before
        place.file.write_text(buffers.texts.pop(place.file))
        async with limited(lambda: "the end of the note of unsaved text"):
            while list(place.directory.glob("DATA/placet/unsaved/*.json")):  # noqa: ASYNC110 - a file tells nobody.
                await asyncio.sleep(0.01)
        done = await asyncio.to_thread(place.run, *command)
        assert done.returncode == 0, done
        assert place.file.read_text() == f"typed\n{changed if review == 'stage' else SAVED}"
