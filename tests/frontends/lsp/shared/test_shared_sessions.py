"""Several editors on the sessions of one daemon, each by a pipe of its own."""

from pathlib import Path
from typing import Any

from fake_editor.client import DaemonEditor
from fake_editor.profiles import EGLOT, HELIX, NEOVIM, VSCODE
from listen_support import events, home, until_gone
from time_support import limited

BASE = "one\nold\nthree\n"
READ = {"call": "read", "arguments": {"filePath": "a.txt"}}
EDIT = {"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}


async def asked(desk: DaemonEditor, count: int = 1) -> None:
    await desk.editor.wait_until(lambda: len(desk.editor.requests_of("editor/requestPermission")) >= count)


async def known(desk: DaemonEditor) -> None:
    """Until the daemon has taken what this editor has said of itself and of its documents."""
    await desk.request("agent/status", {})


async def ended(desk: DaemonEditor, turns: int = 1) -> None:
    await desk.editor.wait_until(lambda: len(desk.updates("turn_ended")) >= turns)


async def test_two_editors_hear_the_same_and_one_answer_ends_the_ask_in_both(tmp_path: Path) -> None:
    async with home(tmp_path, [READ], [EDIT], [{"text": "Done."}]) as place:
        file = place.project / "a.txt"
        file.write_text(BASE)
        async with place.editor(VSCODE) as first, place.editor(NEOVIM) as second:
            never = first.editor.forever
            first.editor.on_permission = lambda params: never()
            elsewhere, buffer = first.editor.open(file), second.editor.open(file)
            second.editor.type(file, "unsaved\n")
            session_id = await first.new_session()
            await second.request("agent/session/load", {"sessionId": session_id})

            async def once(params: Any) -> Any:
                await asked(first)
                return {"outcome": "once"}

            second.editor.on_permission = once
            result = await first.prompt(session_id, "go")
            await ended(second)

            assert result["stopReason"] == "end_turn"
            # The ask does not stay on the other's screen.
            await first.editor.wait_until(lambda: first.editor.taken_off == ["editor/requestPermission"])
            assert second.editor.taken_off == []
            assert events(first, session_id) == events(second, session_id)
            kinds = [kind for _, kind in events(second, session_id)]
            assert [kinds.count(kind) for kind in ("user_message", "change_applied", "turn_ended")] == [1, 1, 1]
            # The edit is in the buffer with the unsaved text alone, and once.
            assert buffer.text == "unsaved\none\nnew\nthree\n"
            assert elsewhere.text == file.read_text() == BASE
            assert first.editor.requests_of("workspace/applyEdit") == []
            assert len(second.editor.requests_of("workspace/applyEdit")) == 1
            assert [desk.editor.violations for desk in (first, second)] == [[], []]


async def test_a_way_of_reviewing_that_was_chosen_in_one_editor_is_told_to_the_other(tmp_path: Path) -> None:
    async with home(tmp_path) as place, place.editor(VSCODE) as first, place.editor(NEOVIM) as second:
        session_id = await first.new_session()
        await second.request("agent/session/load", {"sessionId": session_id})
        await first.request("agent/session/setReview", {"sessionId": session_id, "review": "stage"})
        await second.editor.wait_until(lambda: bool(second.updates("review_mode_update")))
        assert [update["review"] for update in second.updates("review_mode_update")] == ["stage"]


async def test_what_both_have_open_is_edited_in_one_and_loaded_again_by_the_other(tmp_path: Path) -> None:
    turns = (
        [READ],
        [EDIT],
        [{"text": "Done."}],
        [{**EDIT, "arguments": {**EDIT["arguments"], "oldString": "three", "newString": "3"}}],
        [{"text": "Again."}],
    )
    async with home(tmp_path, *turns) as place:
        file = place.project / "a.txt"
        file.write_text(BASE)
        async with place.editor(VSCODE) as first, place.editor(NEOVIM) as second, place.editor(HELIX) as third:
            one, other = first.editor.open(file), second.editor.open(file)
            third.editor.open(file)  # It does not look at the disk by itself, so that its text is an old one.
            await known(first)
            await known(third)
            session_id = await second.new_session()
            assert (await second.prompt(session_id, "go"))["stopReason"] == "end_turn"
            assert other.text == file.read_text() == one.text == "one\nnew\nthree\n"
            assert first.editor.requests_of("workspace/applyEdit") == [], "the editor that prompts holds it"
            assert (await first.prompt(session_id, "and more"))["stopReason"] == "end_turn"
            assert one.text == file.read_text() == other.text == "one\nnew\n3\n"
            assert len(first.editor.requests_of("workspace/applyEdit")) == 1
            assert third.editor.requests_of("workspace/applyEdit") == []


async def test_an_editor_killed_in_mid_turn_ends_nothing_and_finds_all_when_it_is_back(tmp_path: Path) -> None:
    go = tmp_path / "go"
    turns = [{"text": "I read."}, READ], [{"wait_for_file": str(go)}, EDIT], [{"text": "Done."}]
    async with home(tmp_path, *turns) as place:
        file = place.project / "a.txt"
        file.write_text(BASE)
        async with place.editor(VSCODE) as killed:
            session_id = await killed.new_session()
            killed.begin_prompt(session_id, "go")
            await killed.editor.wait_until(lambda: bool(killed.updates("tool_call_update")))
            pid = (await killed.request("agent/status", {}))["pid"]
            await killed.kill()
        go.touch()

        async with place.editor(VSCODE) as back:
            # Nobody was there to be asked: it waits for whoever comes.
            await asked(back)
            loaded = await back.request("agent/session/load", {"sessionId": session_id})
            await ended(back)
            assert (await back.request("agent/status", {}))["pid"] == pid
        assert file.read_text() == "one\nnew\nthree\n"
        parts = [event["update"].get("part", {}) for event in loaded["events"]]
        texts = [event["update"].get("text") for event in loaded["events"]]
        assert "I read." in texts
        assert [part["state"]["status"] for part in parts if part.get("tool") == "read"][-1:] == ["completed"]


async def test_a_prompt_that_has_come_runs_though_its_editor_dies_before_its_turn_begins(tmp_path: Path) -> None:
    async with home(tmp_path, [READ], [EDIT], [{"text": "Done."}]) as place:
        place.set(context={"editor": True})
        file = place.project / "a.txt"
        file.write_text(BASE)
        async with place.editor(NEOVIM) as back:
            await known(back)
            async with place.editor(VSCODE) as killed:
                # What goes with a prompt is asked of its editor before its turn begins, and of this one in vain.
                killed.editor.before["editor/state"] = lambda params: killed.process.kill()
                session_id = await killed.new_session()
                killed.begin_prompt(session_id, "go")
                await killed.process.wait()
                assert killed.editor.requests_of("editor/state")
            await ended(back)
            assert file.read_text() == "one\nnew\nthree\n"
            assert [one["stopReason"] for one in back.updates("turn_ended")] == ["end_turn"]


async def test_what_a_plain_editor_has_sent_runs_though_it_dies_at_once_and_so_does_what_waits_behind(
    tmp_path: Path,
) -> None:
    go = tmp_path / "go"
    turns = [{"wait_for_file": str(go)}, {"text": "First."}], [{"text": "Second."}]
    async with home(tmp_path, *turns) as place:
        async with place.editor(HELIX) as killed:
            # Each is answered before it runs, and nothing that could run it is loaded yet.
            await killed.command("placet.prompt", "one")
            await killed.command("placet.prompt", "two")
            await killed.kill()
        async with place.editor(VSCODE) as back:
            async with limited(lambda: "a session in the list"):
                while not (found := (await back.request("agent/session/list", {}))["sessions"]):
                    pass
            go.touch()
            await ended(back, turns=2)
            loaded = await back.request("agent/session/load", {"sessionId": found[0]["id"]})
        updates = [event["update"] for event in loaded["events"]]
        prompts = [one["message"]["parts"][0]["text"] for one in updates if one["kind"] == "user_message"]
        assert prompts == ["one", "two"]
        assert [one["text"] for one in updates if one["kind"] == "agent_message_chunk"] == ["First.", "Second."]


async def test_an_editor_that_stands_still_while_it_asks_is_told_of_the_ask_of_another_and_answers_by_a_command(
    tmp_path: Path,
) -> None:
    async with home(tmp_path, [READ], [EDIT], [{"text": "Done."}]) as place:
        file = place.project / "a.txt"
        file.write_text(BASE)
        async with place.editor(VSCODE) as first, place.editor(EGLOT) as plain:
            never = first.editor.forever
            first.editor.on_permission = lambda params: never()
            await plain.command("placet.new")
            await plain.editor.wait_until(lambda: bool(plain.messages()))
            session_id = await first.new_session()
            first.begin_prompt(session_id, "go")
            await plain.editor.wait_until(lambda: "still waits for your answer" in plain.messages()[-1])
            await asked(first)
            await plain.command("placet.answer", "once")
            await first.editor.wait_until(lambda: first.editor.taken_off == ["editor/requestPermission"])
            await ended(first)
            assert plain.editor.requests_of("window/showMessageRequest") == []
        assert file.read_text() == "one\nnew\nthree\n"


async def test_where_nobody_comes_back_to_answer_the_turn_ends_with_the_reason(tmp_path: Path) -> None:
    go = tmp_path / "go"
    turns = [READ], [{"wait_for_file": str(go)}, EDIT], [{"text": "Done."}]
    async with home(tmp_path, *turns, answerSeconds=0.1, idleSeconds=0.3) as place:
        (place.project / "a.txt").write_text(BASE)
        async with place.editor(VSCODE) as gone:
            session_id = await gone.new_session()
            gone.begin_prompt(session_id, "go")
            await gone.editor.wait_until(lambda: bool(gone.updates("tool_call_update")))
            await gone.kill()
        go.touch()
        await until_gone(place.daemon_pid() or 0)  # It is idle once the turn is over.
        async with place.editor(VSCODE) as back:
            loaded = await back.request("agent/session/load", {"sessionId": session_id})
        states = [event["update"].get("part", {}).get("state", {}) for event in loaded["events"]]
        assert any("No editor has come back to answer" in state.get("error", "") for state in states)
        assert (place.project / "a.txt").read_text() == BASE
