"""Files of a change that the user is asked about, over the wire (docs/REVIEW.md, mode `ask`).

A client that says `ui: ["changeSet"]` finds the files in the change set of the session, and decides there or by its
answer to the request.
"""

import json
from typing import Any

import pytest

from lsp_link.own_editor import Editor, Json
from time_support import limited

TEN = "".join(f"line {number}\n" for number in range(10))
EDITS = [{"oldString": f"line {number}\n", "newString": f"new {number}\n"} for number in (1, 5, 8)]
READ = [{"call": "read", "arguments": {"filePath": "hello.py"}}]
EDIT = [{"call": "multiedit", "arguments": {"filePath": "hello.py", "edits": EDITS}}]
AGAIN = [{"call": "edit", "arguments": {"filePath": "hello.py", "oldString": "line 9\n", "newString": "new 9\n"}}]
DONE = [{"text": "Done."}]


class Asked:
    """A turn that waits for the user's decisions about three hunks of one file."""

    def __init__(self, editor: Editor, *, ui: tuple[str, ...] = ("changeSet",)) -> None:
        self.editor = editor
        self.ui = ui
        self.session_id = ""
        self.prompt = 0
        self.request: Json = {}

    async def begin(self, *, again: bool = False) -> "Asked":
        """Begin the turn; with `again` a second edit follows."""
        editor = self.editor
        editor.file.write_text(TEN, "utf-8")
        await editor.start(READ, EDIT, *([AGAIN] if again else []), DONE, DONE, ui=self.ui, review="ask")
        self.session_id = await editor.new_session()
        self.prompt = editor.begin_prompt(self.session_id)
        self.request = await editor.request("editor/requestPermission")
        return self

    async def files(self) -> list[Json]:
        return (await self.editor.result("agent/review/list", {"sessionId": self.session_id, "contents": True}))[
            "files"
        ]

    async def decide(self, outcome: str, *numbers: int, **more: Any) -> str:
        """Decide about hunks of the listed file by their places in the list; return the status."""
        (file,) = await self.files()
        hunks = {"hunks": [file["hunks"][number]["id"] for number in numbers]} if numbers else {}
        return await self.send({"uri": file["uri"], "version": file["version"], "outcome": outcome, **hunks, **more})

    async def send(self, decision: Json) -> str:
        params = {"sessionId": self.session_id, "decisions": [decision]}
        (decided,) = (await self.editor.result("agent/review/decide", params))["files"]
        return decided["status"]

    @staticmethod
    def named(file: Json) -> Json:
        """Return the words by which a decision names the listed file."""
        return {"uri": file["uri"], "version": file["version"]}

    def answer(self, outcome: str, *decisions: Json, **more: Any) -> None:
        """Answer the request, with decisions."""
        self.editor.give(self.request, {"outcome": outcome, "decisions": list(decisions), **more})

    async def cancelled(self) -> bool:
        """Return whether the server takes the request off the screen."""
        cancel = await self.editor.request("$/cancelRequest")
        return cancel["params"] == {"id": self.request["id"]}

    async def ended(self) -> str:
        async with limited(lambda: "the end of the turn"):
            return (await self.editor.link.answer(self.prompt))["result"]["stopReason"]

    def told(self) -> str:
        """Return what the model is told about the edit."""
        calls = [update["part"] for update in self._updates() if update["kind"] == "tool_call_update"]
        return json.dumps([part["state"] for part in calls if part["tool"] == EDIT[0]["call"]][-1])

    async def told_by_prompt(self) -> str:
        """Return what the model is told beside the user's next prompt."""
        await self.editor.prompt(self.session_id)
        *_, prompt = [update["message"]["parts"] for update in self._updates() if update["kind"] == "user_message"]
        return "".join(part["text"] for part in prompt if part["synthetic"])

    def all_told(self) -> str:
        return json.dumps(self._updates())

    def told_kinds(self) -> list[str]:
        """Return the kinds of the updates so far."""
        return [update["kind"] for update in self._updates()]

    def _updates(self) -> list[Json]:
        messages = self.editor.link.sent.messages
        return [one["params"]["update"] for one in messages if one.get("method") == "agent/update"]

    def text(self) -> str:
        return self.editor.file.read_text("utf-8")


async def test_the_request_names_the_change_whose_files_wait_in_the_list(editor: Editor) -> None:
    asked = await Asked(editor).begin()
    (file,) = await asked.files()
    assert (file["state"], file["waits"]) == ("staged", asked.request["params"]["changeId"])
    assert "change" not in asked.request["params"]
    assert [hunk["newLines"] for hunk in file["hunks"]] == [["new 1\n"], ["new 5\n"], ["new 8\n"]]
    assert (file["oldText"], asked.text()) == (TEN, TEN)


async def test_the_decision_about_the_last_hunk_ends_the_call_and_takes_the_request_off_the_screen(
    editor: Editor,
) -> None:
    asked = await Asked(editor).begin()
    assert await asked.decide("accept", 1) == "written"
    assert asked.text() == TEN.replace("line 5", "new 5")
    assert await asked.decide("reject", 0, comment="Keep the first line.") == "rejected"
    (file,) = await asked.files()
    assert [hunk["newLines"] for hunk in file["hunks"]] == [["new 8\n"]]
    assert await asked.decide("accept") == "written"

    assert await asked.cancelled()
    assert await asked.ended() == "end_turn"
    assert asked.text() == TEN.replace("line 5", "new 5").replace("line 8", "new 8")
    assert await asked.files() == []
    told = asked.told()
    assert "Keep the first line." in told
    assert "-line 1" in told


async def test_an_answer_to_the_request_decides_about_all_files_of_the_change(editor: Editor) -> None:
    asked = await Asked(editor).begin()
    editor.give(asked.request, {"outcome": "once"})
    assert await asked.ended() == "end_turn"
    assert asked.text() == TEN.replace("line 1", "new 1").replace("line 5", "new 5").replace("line 8", "new 8")
    assert await asked.files() == []


async def test_an_answer_after_decisions_is_about_what_is_left(editor: Editor) -> None:
    asked = await Asked(editor).begin()
    assert await asked.decide("reject", 0) == "rejected"
    editor.give(asked.request, {"outcome": "once"})
    assert await asked.ended() == "end_turn"
    assert asked.text() == TEN.replace("line 5", "new 5").replace("line 8", "new 8")


async def test_a_rejection_with_words_writes_nothing_and_the_turn_goes_on(editor: Editor) -> None:
    asked = await Asked(editor).begin()
    editor.give(asked.request, {"outcome": "reject", "feedback": "Use a loop."})
    assert await asked.ended() == "end_turn"
    assert asked.text() == TEN
    assert await asked.files() == []
    assert "Use a loop." in asked.told()


async def test_an_answer_that_allows_later_changes_too_writes_the_own_text_of_the_user(editor: Editor) -> None:
    asked = await Asked(editor).begin(again=True)
    assert await asked.decide("reject", 0) == "rejected"
    (file,) = await asked.files()
    mine = file["newText"].replace("new 5", "mine 5")
    asked.answer("always", {**asked.named(file), "outcome": "accept", "text": mine, "comment": "Mine is shorter."})
    assert await asked.ended() == "end_turn"
    assert asked.text() == TEN.replace("line 5", "mine 5").replace("line 8", "new 8").replace("line 9", "new 9")
    assert "Mine is shorter." in asked.told()
    assert "+mine 5" in asked.told()


async def test_typing_in_the_file_is_merged_with_the_own_text_of_an_answer(editor: Editor) -> None:
    asked = await Asked(editor).begin()
    (file,) = await asked.files()
    editor.file.write_text(TEN.replace("line 3", "typed 3"), "utf-8")
    mine = file["newText"].replace("new 5", "mine 5")
    other = {"uri": (editor.project / "other.py").as_uri(), "version": "1", "outcome": "accept"}
    asked.answer("always", {**asked.named(file), "outcome": "accept", "text": mine}, other)
    assert await asked.ended() == "end_turn"
    assert asked.text() == mine.replace("line 3", "typed 3")


@pytest.mark.parametrize(("outcome", "told"), [("reject", "NOT changed: "), ("accept", "The rest is NOT changed: ")])
async def test_a_text_from_before_a_decision_brings_no_decided_hunk_back(
    editor: Editor, outcome: str, told: str
) -> None:
    asked = await Asked(editor).begin()
    (file,) = await asked.files()
    await asked.decide(outcome, 0, comment="One is mine.")
    mine = file["newText"].replace("new 5", "mine 5").replace("new 1", "line 1")
    asked.answer("always", {**asked.named(file), "outcome": "accept", "text": mine})
    assert await asked.ended() == "end_turn"
    assert asked.text() == (TEN if outcome == "reject" else TEN.replace("line 1", "new 1"))
    why = "hello.py: the text that the user has written instead no longer fits."
    assert f"{told}{why}" in asked.told()
    assert "One is mine." in asked.told()
    assert ("These lines were NOT applied:" in asked.told()) is (outcome == "reject")


async def test_comments_of_an_answer_are_about_their_hunks_and_decide_nothing(editor: Editor) -> None:
    asked = await Asked(editor).begin()
    assert await asked.decide("accept", 0) == "written"
    (file,) = await asked.files()
    comment = {**asked.named(file), "outcome": "comment", "hunks": [file["hunks"][0]["id"]], "comment": "Why five?"}
    asked.answer("once", comment)
    assert await asked.ended() == "end_turn"
    assert asked.text() == TEN.replace("line 1", "new 1").replace("line 5", "new 5").replace("line 8", "new 8")
    assert "hello.py (accepted):\\n```diff\\n@@ -6,1 +6,1 @@\\n-line 5\\n+new 5\\n```\\nWhy five?" in asked.told()


@pytest.mark.parametrize("comments", [True, False])
async def test_a_no_after_an_accepted_hunk_rejects_the_rest_of_the_file(editor: Editor, *, comments: bool) -> None:
    asked = await Asked(editor).begin()
    assert await asked.decide("accept", 0) == "written"
    (file,) = await asked.files()
    comment = {**asked.named(file), "outcome": "comment", "hunks": [file["hunks"][1]["id"]], "comment": "Why eight?"}
    asked.answer("reject", *([comment] if comments else []), feedback="Use a loop.")
    assert await asked.ended() == "end_turn"
    assert asked.text() == TEN.replace("line 1", "new 1")
    told = asked.told()
    assert "Use a loop." in told
    assert ("Why eight?" in told) is comments
    assert "-line 8\\n+new 8" in told
    assert "-line 5\\n+new 5" in told


async def test_with_a_wrong_decision_the_answer_is_no_answer(editor: Editor) -> None:
    asked = await Asked(editor).begin()
    (file,) = await asked.files()
    asked.answer("once", {**asked.named(file), "outcome": "reject", "text": "a text of a rejection"})
    again = await editor.result("agent/permission/pending", {"sessionId": asked.session_id})
    assert [request["changeId"] for request in again["requests"]] == [file["waits"]]
    assert "change" not in again["requests"][0]
    editor.give(await editor.request("editor/requestPermission", 2), {"outcome": "once"})
    assert await asked.ended() == "end_turn"


async def test_an_answer_decides_nothing_about_the_written_change_of_the_same_file(editor: Editor) -> None:
    editor.file.write_text(TEN, "utf-8")
    await editor.start(READ, EDIT, DONE, AGAIN, DONE, ui=["changeSet"], review="apply")
    session_id = await editor.new_session()
    await editor.prompt(session_id)
    await editor.result("agent/session/setReview", {"sessionId": session_id, "review": "ask"})
    prompt = editor.begin_prompt(session_id)
    asked = await editor.request("editor/requestPermission")
    files = (await editor.result("agent/review/list", {"sessionId": session_id}))["files"]
    (written,) = [file for file in files if file["state"] == "unreviewed"]
    undo = {**Asked.named(written), "outcome": "reject"}
    editor.give(asked, {"outcome": "once", "decisions": [undo]})
    assert (await editor.link.answer(prompt))["result"]["stopReason"] == "rejected"
    written_text = TEN.replace("line 1", "new 1").replace("line 5", "new 5").replace("line 8", "new 8")
    assert editor.file.read_text("utf-8") == written_text


async def test_rejected_hunks_alone_end_the_turn_as_a_rejection_does(editor: Editor) -> None:
    asked = await Asked(editor).begin()
    assert await asked.decide("reject") == "rejected"
    assert await asked.ended() == "rejected"
    assert asked.text() == TEN


async def test_the_own_text_of_the_user_is_written_in_place_of_the_hunk(editor: Editor) -> None:
    asked = await Asked(editor).begin()
    assert await asked.decide("accept", 1, text="mine 5\n") == "written"
    assert await asked.decide("reject") == "rejected"
    assert await asked.ended() == "end_turn"
    assert asked.text() == TEN.replace("line 5", "mine 5")
    assert "mine 5" in asked.told()


async def test_a_decision_about_a_version_that_has_changed_does_nothing_and_the_call_waits_on(editor: Editor) -> None:
    asked = await Asked(editor).begin()
    (seen,) = await asked.files()
    assert await asked.decide("reject", 0) == "rejected"
    assert await asked.send({"uri": seen["uri"], "version": seen["version"], "outcome": "accept"}) == "moved"
    assert asked.text() == TEN
    assert len(await asked.files()) == 1
    editor.give(asked.request, {"outcome": "once"})
    assert await asked.ended() == "end_turn"


async def test_a_cancelled_turn_leaves_no_waiting_file(editor: Editor) -> None:
    asked = await Asked(editor).begin()
    assert await asked.decide("accept", 0) == "written"
    editor.link.notify("$/cancelRequest", {"id": asked.prompt})
    assert await asked.cancelled()
    assert await asked.ended() == "cancelled"
    assert await asked.files() == []
    assert asked.text() == TEN.replace("line 1", "new 1")
    told = await asked.told_by_prompt()
    assert "A call of yours was cut short" in told
    assert "The undecided rest is not written. These lines are:" in told
    assert "-line 1\n+new 1\n" in told
    assert "new 5" not in told


async def test_a_model_that_is_told_by_the_result_is_not_told_again(editor: Editor) -> None:
    asked = await Asked(editor).begin()
    assert await asked.decide("accept", 0) == "written"
    assert await asked.decide("reject") == "rejected"
    assert await asked.ended() == "end_turn"
    assert await asked.told_by_prompt() == ""
    assert "cut short" not in asked.all_told()


async def test_the_screen_is_told_when_files_begin_and_end_to_wait(editor: Editor) -> None:
    asked = await Asked(editor).begin()
    assert asked.told_kinds().count("change_set_update") == 1
    editor.give(asked.request, {"outcome": "once"})
    await asked.ended()
    assert asked.told_kinds().count("change_set_update") == 2


@pytest.mark.parametrize("ui", [("permission", "hunks", "editProposal", "question"), ()])
async def test_a_client_without_the_word_is_asked_with_the_change_and_sees_no_waiting_file(
    editor: Editor, ui: tuple[str, ...]
) -> None:
    asked = await Asked(editor, ui=ui).begin()
    (file,) = asked.request["params"]["change"]["files"]
    assert await asked.files() == []
    editor.give(asked.request, {"outcome": "once", "hunks": {file["uri"]: [file["hunks"][1]["id"]]}})
    assert await asked.ended() == "end_turn"
    assert asked.text() == TEN.replace("line 5", "new 5")
