"""The agent's own methods over the wire, with real sessions and a scripted model."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from lsp_link.own_editor import Editor, Json
from placet.changes.review import requested_decisions
from placet.core.messages import TextPart
from placet.sessions.services.early_loading import EarlyLoading
from placet.sessions.session import Session
from placet.sessions.turns import decision_watch
from services_support import TempServices

INVALID_PARAMS, REQUEST_FAILED = -32602, -32803
SECRETS = {"read": {"*": "allow", "secret.txt": "deny"}}


async def test_a_prompt_is_answered_after_all_it_has_caused_was_told(editor: Editor) -> None:
    await editor.start([{"text": "Hello there.", "pieces": 5}, {"usage": {"input": 10, "output": 5}, "cost": 0.5}])
    session_id = await editor.new_session()

    result = await editor.prompt(session_id)

    assert result["stopReason"] == "end_turn"
    assert result["usage"]["cost"] == 0.5
    *updates, last = [one["params"] for one in editor.link.sent.messages if one.get("method") == "agent/update"]
    assert last["update"]["kind"] == "turn_ended"
    assert last["update"]["turnId"] == result["messageId"]
    assert "".join(one["update"].get("text", "") for one in updates) == "Hello there."
    assert "result" in editor.link.sent.messages[-1]


async def test_an_editor_that_lags_behind_hears_of_the_turn_before_its_result_all_the_same(editor: Editor) -> None:
    await editor.start([{"text": "Hello there.", "pieces": 5}])
    session_id = await editor.new_session()
    editor.link.sent.has_room = False

    await editor.prompt(session_id)

    *_, last_update, answer = editor.link.sent.messages
    assert last_update["params"]["update"]["kind"] == "turn_ended"
    assert "result" in answer


@pytest.mark.parametrize("by", ["$/cancelRequest", "agent/cancel"])
async def test_a_cancelled_prompt_has_a_normal_result(editor: Editor, by: str) -> None:
    await editor.start([{"text": "I begin."}, {"wait": "never"}])
    session_id = await editor.new_session()
    request = editor.begin_prompt(session_id)
    await editor.update("agent_message_chunk")

    editor.link.notify(by, {"id": request} if by == "$/cancelRequest" else {"sessionId": session_id})

    answer = await editor.link.answer(request)
    assert answer["result"]["stopReason"] == "cancelled"
    assert answer["result"]["messageId"]


async def test_a_prompt_cancelled_on_its_heels_has_a_normal_result(editor: Editor) -> None:
    await editor.start([{"text": "I begin."}, {"wait": "never"}])
    session_id = await editor.new_session()
    request = editor.begin_prompt(session_id)
    editor.link.notify("$/cancelRequest", {"id": request})

    assert (await editor.link.answer(request))["result"]["stopReason"] == "cancelled"


async def test_a_prompt_cancelled_while_the_agent_is_loading_has_a_normal_result(editor: Editor) -> None:
    editor.may_open.clear()
    await editor.start([])
    request = editor.begin_prompt("ses_1")
    other = editor.link.begin("agent/status")
    editor.link.notify("$/cancelRequest", {"id": request})

    assert (await editor.link.answer(request))["result"] == {"stopReason": "cancelled"}
    editor.may_open.set()
    assert (await editor.link.answer(other))["result"]["version"]


@pytest.mark.parametrize(
    ("method", "params", "named"),
    [
        ("agent/session/load", {}, "sessionId"),
        ("agent/session/load", None, "sessionId"),
        ("agent/session/load", {"sessionId": "s", "since": "x"}, "since"),
        ("agent/session/load", 5, "params"),
        ("agent/prompt", {"sessionId": "s", "parts": []}, "parts"),
        ("agent/prompt", {"sessionId": "s", "parts": [{"type": "text"}]}, "parts.0.text.text"),
        ("agent/session/list", {"limit": 0}, "limit"),
    ],
)
async def test_params_that_do_not_fit_are_refused_by_name(editor: Editor, method: str, params: Any, named: str) -> None:
    await editor.start()

    error = (await editor.link.call(method, params))["error"]

    assert error["code"] == INVALID_PARAMS
    assert error["message"].startswith(f"{named}:")


async def test_what_cannot_be_served_is_refused_with_a_text_for_the_user(editor: Editor) -> None:
    await editor.start()

    error = (await editor.link.call("agent/session/load", {"sessionId": "ses_nowhere"}))["error"]

    assert error["code"] == REQUEST_FAILED
    assert "ses_nowhere" in error["message"]


async def test_a_conversation_is_summed_up_and_the_editor_hears_what_was_freed(editor: Editor) -> None:
    long = [{"text": "word " * 20_000}]
    await editor.start(long, [{"text": "Yes."}], [{"text": "And yes."}], [{"text": "## Goal\nWords."}])
    session_id = await editor.new_session()
    for _ in range(3):
        await editor.prompt(session_id)

    freed = await editor.result("agent/session/compact", {"sessionId": session_id})

    assert freed["tokensAfter"] < 1000 < freed["tokensBefore"]
    whole = await editor.result("agent/session/load", {"sessionId": session_id})
    [update] = [one["update"] for one in whole["events"] if one["update"]["kind"] == "compaction"]
    assert (update["part"]["summary"], update["part"]["auto"]) == ("## Goal\nWords.", False)


async def test_a_session_is_listed_renamed_loaded_and_deleted(editor: Editor) -> None:
    await editor.start([{"text": "Hello."}])
    session_id = await editor.new_session()
    seen = (await editor.prompt(session_id)) and editor.link.sent.messages[-2]["params"]["seq"]

    await editor.result("agent/session/rename", {"sessionId": session_id, "title": "Greeting"})
    listed = await editor.result("agent/session/list", {"query": "Greet"})
    since = await editor.result("agent/session/load", {"sessionId": session_id, "since": seen})
    whole = await editor.result("agent/session/load", {"sessionId": session_id})

    assert [one["id"] for one in listed["sessions"]] == [session_id]
    assert since["session"]["title"] == "Greeting"
    assert all(one["seq"] > seen for one in since["events"])
    assert "user_message" in {one["update"]["kind"] for one in whole["events"]}
    assert await editor.result("agent/session/delete", {"sessionId": session_id}) is None
    assert (await editor.result("agent/session/list"))["sessions"] == []


async def test_agent_and_model_can_be_chosen_from_what_is_listed(editor: Editor) -> None:
    await editor.start()
    session_id = await editor.new_session()
    agents = (await editor.result("agent/agents"))["agents"]
    models = (await editor.result("agent/models"))["models"]

    await editor.result("agent/session/setAgent", {"sessionId": session_id, "agent": agents[0]["name"]})
    changed = await editor.result("agent/session/setModel", {"sessionId": session_id, "model": models[-1]["id"]})

    assert changed["model"] == models[-1]["id"] == "builtin/rules"
    assert [one["default"] for one in models] == [True, False]


async def test_agents_are_told_with_what_could_not_be_used(editor: Editor) -> None:
    await editor.start(agent={"x": {"mode": "subagent", "model": "a/b", "description": "Does x."}, "y": {"steps": 0}})
    told = await editor.result("agent/agents")

    agents = {one["name"]: one for one in told["agents"]}
    assert list(agents) == ["build", "plan", "general", "explore", "x"]
    assert [one["mode"] for one in agents.values()] == ["primary", "primary", "subagent", "subagent", "subagent"]
    assert agents["x"] == {
        "name": "x",
        "description": "Does x.",
        "mode": "subagent",
        "model": "a/b",
        "source": "the editor's options",
    }
    assert told["default"] == "build"
    assert told["problems"][0].startswith("the editor's options: the agent `y`: `steps`: ")


async def test_tools_commands_and_status_are_told(editor: Editor) -> None:
    await editor.start([{"wait": "never"}])
    session_id = await editor.new_session()
    editor.begin_prompt(session_id)
    await editor.update("turn_started")

    tools = (await editor.result("agent/tools"))["tools"]
    status = await editor.result("agent/status")

    assert {"read", "edit", "bash"} <= {one["id"] for one in tools}
    commands = (await editor.result("agent/commands"))["commands"]
    assert [one["name"] for one in commands] == ["init", "remember", "review"]
    assert commands[2]["argumentHint"] == "[commit|branch|pull request]"
    assert status["running"] == [session_id]
    assert status["memory"] > 1_000_000
    assert status["store"] == str(editor.directory / "data" / "placet.db")
    assert status["model"]["key"] == "not_needed"
    assert status["roots"] == [editor.project.as_uri()]
    assert status["sandbox"].startswith(("bubblewrap", "landlock", "none"))


async def test_a_permission_that_was_put_away_is_asked_again_on_demand(editor: Editor) -> None:
    await editor.start(
        [{"call": "read", "arguments": {"filePath": "hello.py"}}],
        [{"call": "edit", "arguments": {"filePath": "hello.py", "oldString": "greet", "newString": "welcome"}}],
        [{"text": "Done."}],
    )
    session_id = await editor.new_session()
    prompt = editor.begin_prompt(session_id)
    request = await editor.request("editor/requestPermission")
    editor.give(request, {"outcome": "dismissed"})

    pending = (await editor.result("agent/permission/pending", {"sessionId": session_id}))["requests"]
    again = await editor.request("editor/requestPermission", number=2)
    (waiting,) = (await editor.result("agent/changes", {"sessionId": session_id, "contents": True}))["changes"]
    editor.give(again, {"outcome": "once"})
    answer = await editor.link.answer(prompt)

    assert (waiting["state"], waiting["requestId"]) == ("proposed", request["params"]["requestId"])
    assert waiting["turnId"] == answer["result"]["messageId"]
    assert waiting["files"][0]["newText"] == "def welcome():\n    return 1\n"
    assert [one["requestId"] for one in pending] == [request["params"]["requestId"]]
    assert again["params"] == request["params"]
    assert answer["result"]["stopReason"] == "end_turn"
    assert "def welcome" in editor.file.read_text("utf-8")
    (change,) = (await editor.result("agent/changes", {"sessionId": session_id}))["changes"]
    assert (change["id"], change["state"], change["files"][0]["additions"]) == (waiting["id"], "applied", 1)

    undone = await editor.result("agent/undo", {"sessionId": session_id})
    assert undone == {"files": [{"uri": editor.file.as_uri(), "status": "restored"}]}
    assert "def greet" in editor.file.read_text("utf-8")
    await editor.result("agent/redo", {"sessionId": session_id})
    assert "def welcome" in editor.file.read_text("utf-8")

    undone = await editor.result("agent/undo", {"sessionId": session_id, "uris": [editor.file.as_uri()]})
    assert undone == {"files": [{"uri": editor.file.as_uri(), "status": "restored"}]}
    await editor.result("agent/redo", {"sessionId": session_id})
    for uri, words in (("file:///elsewhere", "no applied change"), ("untitled:Untitled-1", "is not the URI of a file")):
        answer = await editor.link.call("agent/undo", {"sessionId": session_id, "uris": [uri]})
        assert words in answer["error"]["message"]


async def test_the_message_of_a_commit_is_written_on_demand(editor: Editor) -> None:
    await editor.start([{"text": "Rename greet"}])
    params = {"root": editor.project.as_uri(), "diff": "diff --git a/a b/a\n+x\n"}
    assert await editor.result("agent/commitMessage", params) == {"text": "Rename greet"}
    answer = await editor.link.call("agent/commitMessage", {"model": "builtin/rules"})
    assert answer["error"]["code"] == REQUEST_FAILED


async def test_the_model_is_told_where_the_user_is_if_the_user_wants_that(editor: Editor) -> None:
    await editor.start([{"text": "Done."}], [{"text": "Done."}], context={"editor": True}, permission=SECRETS)
    session_id = await editor.new_session()
    uri, other = editor.file.as_uri(), (editor.project / "b" / "c.py").as_uri()
    prompt = editor.begin_prompt(session_id, "look here")
    request = await editor.request("editor/state")
    editor.give(
        request,
        {
            "active": {"uri": uri, "line": 1, "column": 3, "dirty": True, "languageId": "python"},
            "selections": [{"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 3}}],
            "visible": [{"uri": one, "first": 0, "last": 9} for one in (uri, other, "file:///etc/passwd")]
            + [{"uri": (editor.project / "secret.txt").as_uri(), "first": 0, "last": 1}],
        },
    )
    assert (await editor.link.answer(prompt))["result"]["stopReason"] == "end_turn"

    message = (await editor.update("user_message"))["message"]
    *_, told = [part for part in message["parts"] if part["synthetic"]]
    assert told["text"] == (
        "The user's cursor is in hello.py, line 2; selected there: lines 1-2. Also visible in the editor: b/c.py."
    )
    session = (await editor.result("agent/session/list"))["sessions"][0]
    assert session["title"] == "look here"

    again = editor.begin_prompt(session_id)
    editor.give(await editor.request("editor/state", number=2), {"active": None, "visible": "nonsense"})
    assert (await editor.link.answer(again))["result"]["stopReason"] == "end_turn"


async def test_the_model_is_told_once_of_what_the_user_has_put_in_after_all(editor: Editor) -> None:
    await editor.start(
        [{"call": "read", "arguments": {"filePath": "hello.py"}}],
        [{"call": "edit", "arguments": {"filePath": "hello.py", "oldString": "greet", "newString": "welcome"}}],
        [{"text": "Done."}],
        [{"text": "Done."}],
    )
    session_id = await editor.new_session()
    prompt = editor.begin_prompt(session_id)
    editor.give(await editor.request("editor/requestPermission"), {"outcome": "once", "hunks": {}})
    assert (await editor.link.answer(prompt))["result"]["stopReason"] == "rejected"
    (change,) = (await editor.result("agent/changes", {"sessionId": session_id}))["changes"]

    put_in = {"sessionId": session_id, "changeId": change["id"], "uri": editor.file.as_uri(), "hunks": [1, 7]}
    editor.link.notify("agent/didPutIn", put_in)
    await editor.prompt(session_id)
    await editor.prompt(session_id)

    updates = [one["params"]["update"] for one in editor.link.sent.messages if one.get("method") == "agent/update"]
    prompts = [one["message"]["parts"] for one in updates if one["kind"] == "user_message"]
    told = [[part["text"] for part in parts if part["synthetic"]] for parts in prompts]
    assert (told[0], told[2]) == ([], [])
    assert "refused this part of your change of hello.py, and has put it in since" in told[1][0]
    assert "-def greet():\n+def welcome():\n" in told[1][0]


async def test_the_editor_is_not_asked_where_the_user_is_unless_that_is_wanted(editor: Editor) -> None:
    await editor.start([{"text": "Done."}])
    await editor.prompt(await editor.new_session())
    assert not [one for one in editor.link.sent.messages if one.get("method") == "editor/state"]


async def test_a_cancelled_turn_takes_its_question_off_the_screen(editor: Editor) -> None:
    await editor.start([{"call": "bash", "arguments": {"command": "touch x", "description": "touch"}}])
    session_id = await editor.new_session()
    prompt = editor.begin_prompt(session_id)
    request = await editor.request("editor/requestPermission")

    editor.link.notify("$/cancelRequest", {"id": prompt})

    cancel = await editor.request("$/cancelRequest")
    assert cancel["params"] == {"id": request["id"]}
    assert (await editor.link.answer(prompt))["result"]["stopReason"] == "cancelled"


async def test_a_setting_that_cannot_be_used_is_told_once_and_the_others_hold(editor: Editor) -> None:
    await editor.start([{"text": "Hello."}], modle="x")

    told = await editor.request("window/showMessage")
    assert "the editor's options: setting `modle`: there is no such setting; did you mean `model`?" in str(told)
    assert (await editor.prompt(await editor.new_session()))["stopReason"] == "end_turn"


async def test_a_steering_prompt_joins_the_turn_and_is_answered_with_its_end(editor):
    go = editor.directory / "go"
    await editor.start([{"text": "I look."}, {"wait_for_file": str(go)}], [{"text": "With tabs."}])
    session_id = await editor.new_session()
    first = editor.begin_prompt(session_id)
    await editor.update("agent_message_chunk")
    text = [{"type": "text", "text": "Use tabs."}]
    steering = editor.link.begin("agent/prompt", {"sessionId": session_id, "parts": text, "queue": "steer"})
    await editor.link.sent.first(lambda one: "Use tabs." in json.dumps(one))
    go.touch()

    answers = [(await editor.link.answer(number))["result"] for number in (first, steering)]
    assert answers[0] == answers[1]
    assert answers[0]["stopReason"] == "end_turn"


async def test_a_retry_is_told_to_the_editor(editor):
    await editor.start([{"error": "overloaded", "message": "Busy.", "retry_after": 0}], [{"text": "Done."}])

    assert (await editor.prompt(await editor.new_session()))["stopReason"] == "end_turn"
    retry = await editor.update("retry")
    assert (retry["attempt"], retry["waitSeconds"], retry["error"]["message"]) == (1, 0.0, "Busy.")


async def test_going_back_and_forward_over_the_wire(editor: Editor) -> None:
    edit = {"filePath": "hello.py", "oldString": "greet", "newString": "welcome"}
    turns = ([{"call": "read", "arguments": {"filePath": "hello.py"}}], [{"call": "edit", "arguments": edit}])
    await editor.start(*turns, [{"text": "Done."}], permission="allow")
    session_id = await editor.new_session()
    answer = await editor.link.call(
        "agent/prompt", {"sessionId": session_id, "parts": [{"type": "text", "text": "go"}]}
    )
    prompt = {"sessionId": session_id, "messageId": answer["result"]["messageId"]}

    preview = await editor.result("agent/back/preview", prompt)
    uri = editor.file.as_uri()
    assert preview["files"] == [{"uri": uri, "status": "restored", "additions": 1, "deletions": 1}]
    assert (preview["prompts"], preview["effects"], preview["staged"]) == (1, [], [])
    went = await editor.result("agent/back/go", prompt)
    assert went["files"] == [{"uri": uri, "status": "restored"}]
    assert [part["text"] for part in went["parts"]] == ["go"]
    assert "def greet" in editor.file.read_text("utf-8")
    loaded = await editor.result("agent/session/load", {"sessionId": session_id, "since": 0})
    assert loaded["session"]["backTo"] == prompt["messageId"]
    assert [event["update"]["kind"] for event in loaded["events"]] == ["session_back"]
    await editor.result("agent/back/redo", {"sessionId": session_id})
    assert "def welcome" in editor.file.read_text("utf-8")
    loaded = await editor.result("agent/session/load", {"sessionId": session_id, "since": 0})
    assert "backTo" not in loaded["session"]
    assert loaded["events"][0]["update"]["message"]["id"] == prompt["messageId"]
    refused = await editor.link.call("agent/back/redo", {"sessionId": session_id})
    assert "no way forward" in refused["error"]["message"]
    await editor.result("agent/back/go", {**prompt, "what": "files"})
    loaded = await editor.result("agent/session/load", {"sessionId": session_id, "since": 0})
    assert (loaded["session"]["filesBack"], "backTo" in loaded["session"]) == (True, False)


async def test_changes_that_are_applied_at_once_are_reviewed_over_the_wire_and_follow_an_undo(editor: Editor) -> None:
    await editor.start(
        [{"call": "read", "arguments": {"filePath": "hello.py"}}],
        [{"call": "edit", "arguments": {"filePath": "hello.py", "oldString": "greet", "newString": "welcome"}}],
        [{"call": "edit", "arguments": {"filePath": "hello.py", "oldString": "return 1", "newString": "return 2"}}],
        [{"text": "Done."}],
    )
    session_id = await editor.new_session()
    await editor.result("agent/session/setReview", {"sessionId": session_id, "review": "apply"})
    await editor.prompt(session_id)
    assert editor.file.read_text("utf-8") == "def welcome():\n    return 2\n"

    (file,) = (await editor.result("agent/review/list", {"sessionId": session_id, "contents": True}))["files"]
    assert (file["state"], file["oldText"]) == ("unreviewed", "def greet():\n    return 1\n")
    assert "+def welcome():" in file["diff"]
    (listed,) = (await editor.result("agent/review/list", {"sessionId": session_id}))["files"]
    assert listed == {name: value for name, value in file.items() if name not in ("oldText", "newText", "diff")}
    decision = {"uri": file["uri"], "version": file["version"], "outcome": "reject"}
    decided = await editor.result("agent/review/decide", {"sessionId": session_id, "decisions": [decision]})
    assert decided["files"] == [{"uri": file["uri"], "status": "undone"}]
    assert editor.file.read_text("utf-8") == "def greet():\n    return 1\n"
    assert (await editor.result("agent/review/list", {"sessionId": session_id}))["files"] == []


async def test_the_caution_of_a_session_is_set_over_the_wire_and_shows_in_its_rules(editor: Editor) -> None:
    await editor.start()
    session_id = await editor.new_session()
    info = await editor.result("agent/session/setCaution", {"sessionId": session_id, "caution": "more"})
    assert info["caution"] == "more"
    rules = (await editor.result("agent/permission/rules", {"sessionId": session_id}))["rules"]
    assert {rule["action"] for rule in rules if rule["source"].startswith("this session")} == {"ask"}
    params = {"sessionId": session_id, "permission": "bash", "subject": "ls"}
    explained = await editor.result("agent/permission/explain", params)
    assert explained["outcome"] == "ask"
    assert explained["judged"][0]["rule"]["source"] == "this session asks more"


async def test_the_effort_of_a_session_is_set_and_unset_over_the_wire(editor: Editor) -> None:
    await editor.start()
    session_id = await editor.new_session()
    for effort in ("xhigh", 4096):
        info = await editor.result("agent/session/setEffort", {"sessionId": session_id, "effort": effort})
        assert info["effort"] == effort
    for wrong in (True, "5", "loud", -1, 2**31, [], 1.5):
        answer = await editor.link.call("agent/session/setEffort", {"sessionId": session_id, "effort": wrong})
        assert answer["error"]["code"] == -32602, wrong
    assert "effort" not in await editor.result("agent/session/setEffort", {"sessionId": session_id})


async def test_the_profile_of_a_session_is_set_and_unset_over_the_wire(editor: Editor) -> None:
    await editor.start()
    session_id = await editor.new_session()
    for profile in ("small", "smallest", "full", "auto"):
        info = await editor.result("agent/session/setProfile", {"sessionId": session_id, "profile": profile})
        assert info["profile"] == profile
    for wrong in (True, "tiny", 1, [], ""):
        answer = await editor.link.call("agent/session/setProfile", {"sessionId": session_id, "profile": wrong})
        assert answer["error"]["code"] == -32602, wrong
    assert "profile" not in await editor.result("agent/session/setProfile", {"sessionId": session_id})


async def test_one_hunk_is_edited_and_commented_over_the_wire_and_a_text_out_of_place_is_refused(
    editor: Editor,
) -> None:
    await editor.start(
        [{"call": "read", "arguments": {"filePath": "hello.py"}}],
        [{"call": "edit", "arguments": {"filePath": "hello.py", "oldString": "greet", "newString": "welcome"}}],
        [{"text": "Done."}],
        review="stage",
    )
    session_id = await editor.new_session()
    await editor.prompt(session_id)
    (file,) = (await editor.result("agent/review/list", {"sessionId": session_id}))["files"]

    async def decide(**decision: Any) -> Json:
        decisions = [{"uri": file["uri"], "version": file["version"], **decision}]
        return await editor.link.call("agent/review/decide", {"sessionId": session_id, "decisions": decisions})

    for wrong in (
        {"outcome": "reject", "hunks": [1], "text": "x\n"},
        {"outcome": "accept", "hunks": [1, 2], "text": "x\n"},
        {"outcome": "accept", "hunks": [], "text": "x\n"},
    ):
        assert "a whole file or one hunk" in (await decide(**wrong))["error"]["message"]
    assert "comment is empty" in (await decide(outcome="comment", hunks=[1]))["error"]["message"]
    commented = await decide(outcome="comment", hunks=[1], comment="Why?")
    assert commented["result"]["files"] == [{"uri": file["uri"], "status": "commented"}]
    edited = await decide(outcome="accept", hunks=[1], text="def hail():\n")
    assert edited["result"]["files"] == [{"uri": file["uri"], "status": "written"}]
    assert editor.file.read_text("utf-8") == "def hail():\n    return 1\n"


@asynccontextmanager
async def at_work_elsewhere(editor: Editor, other: TempServices) -> AsyncGenerator[tuple[Session, Json, Json]]:
    """Yield a session at work in another Placet until the file `go` is there, the listed file of its change set, and
    the decision that accepts the file.
    """
    model = other.script(
        [{"call": "read", "arguments": {"filePath": "hello.py"}}],
        [{"call": "edit", "arguments": {"filePath": "hello.py", "oldString": "greet", "newString": "welcome"}}],
        [{"wait_for_file": str(editor.directory / "go")}, {"text": "Done."}],
        name="other.json",
    )
    await editor.start([{"text": "Never."}])
    async with other.open(model, review="stage") as sessions:
        session = await sessions.create()
        turn = asyncio.create_task(session.prompt([TextPart(text="go")]))
        await other.screen.wait_for("change_set_update")
        (file,) = (await editor.result("agent/review/list", {"sessionId": session.info.id}))["files"]
        decision = {"uri": file["uri"], "version": file["version"], "outcome": "accept"}
        yield session, file, {"sessionId": session.info.id, "decisions": [decision]}
        (editor.directory / "go").touch()
        await turn
    assert editor.file.read_text("utf-8") == "def welcome():\n    return 1\n"


async def test_the_set_of_a_session_at_work_in_another_placet_is_listed_and_decided_over_the_wire(
    editor: Editor,
) -> None:
    other = TempServices(editor.directory)
    async with at_work_elsewhere(editor, other) as (session, file, decision):
        decided = await editor.result("agent/review/decide", decision)
        assert decided["files"] == [{"uri": file["uri"], "status": "written"}]
        assert session.running
        assert "change_applied" in other.screen.kinds()


async def test_a_list_with_files_begins_the_loading_for_a_decision_and_an_empty_list_does_not(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[EarlyLoading] = []
    monkeypatch.setattr(EarlyLoading, "begin_soon", lambda loading: begun.append(loading))
    async with at_work_elsewhere(editor, TempServices(editor.directory)) as (_, _, decision):
        assert len(begun) == 1
        assert await editor.result("agent/review/list", {"sessionId": await editor.new_session()}) == {"files": []}
        assert len(begun) == 1
        await editor.result("agent/review/decide", decision)


async def test_the_user_is_told_what_a_decision_waits_for_that_another_placet_does_not_take(
    editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decision_watch, "LOOK_SECONDS", 1000.0)
    monkeypatch.setattr(requested_decisions, "PATIENCE_SECONDS", 0.0)
    async with at_work_elsewhere(editor, TempServices(editor.directory)) as (_, file, decision):
        deciding = editor.link.begin("agent/review/decide", decision)
        told = (await editor.request("window/showMessage"))["params"]["message"]
        assert "in use by another Placet" in told
        assert told.endswith(
            "It has not taken your decision yet: it may be stopped, or be an older Placet. Waiting for it."
        )
        (editor.directory / "go").touch()
        decided = (await editor.link.answer(deciding))["result"]
        assert decided["files"] == [{"uri": file["uri"], "status": "written"}]


async def test_after_the_undo_of_a_turn_the_screens_hear_of_the_change_set(editor: Editor) -> None:
    await editor.start(
        [{"call": "read", "arguments": {"filePath": "hello.py"}}],
        [{"call": "edit", "arguments": {"filePath": "hello.py", "oldString": "greet", "newString": "welcome"}}],
        [{"text": "Done."}],
        review="apply",
    )
    session_id = await editor.new_session()
    await editor.prompt(session_id)
    assert (await editor.update("change_set_update"))["files"] == 1
    await editor.result("agent/undo", {"sessionId": session_id})
    updates = [message["params"]["update"] for message in editor.link.sent.messages if _is_of_the_set(message)]
    assert [update["files"] for update in updates] == [1, 0]


def _is_of_the_set(message: Json) -> bool:
    is_update = message.get("method") == "agent/update"
    return is_update and message["params"]["update"]["kind"] == "change_set_update"
