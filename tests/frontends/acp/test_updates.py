"""Pure functions from events to updates."""

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.core.events import AgentMessageChunk, ChangeApplied, ChangedFile, CurrentModeUpdate, UsageUpdate
from placet.core.events import ToolCallUpdate as ToolCallEvent
from placet.core.messages import Tokens, ToolCompleted, ToolFailed, ToolPart, ToolPending, ToolRunning
from placet.core.ports import AlwaysOffer, PermissionRequest, ProposedChange, ProposedFile
from placet.frontends.acp.connection.update_queue import UpdateQueue
from placet.frontends.acp.ports.options import permission_answer, permission_options
from placet.frontends.acp.protocol import updates as acp
from placet.frontends.acp.updates.conversation import Conversation
from placet.frontends.acp.updates.diffs import MOST_CHARACTERS, excerpt, first_line, proposed_diffs
from placet.frontends.acp.updates.tool_calls import MOST_ARGUMENT, MOST_OUTPUT, fenced, tool_call, whole_members
from placet.text.diff import make_hunks, unified_diff
from placet.tools.framework.builtin import tool_specs

ROOT = Path("/project")
LINES = st.lists(st.text(st.sampled_from("ab+-@\\ "), max_size=4), max_size=4)


def conversation():
    return Conversation(ROOT, mode="build")


def event(state, tool="bash", call_id="call_1"):
    return ToolCallEvent(message_id="msg_1", part=ToolPart(id="prt_1", call_id=call_id, tool=tool, state=state))


def proposed(old, new, kind="modify", **fields):
    return ProposedFile(
        path=ROOT / "a.txt",
        kind=kind,
        old_text=old,
        new_text=new,
        hunks=tuple(make_hunks(old, new)),
        diff=unified_diff(old, new, "a.txt", "a.txt"),
        **fields,
    )


def request(change=None, **fields):
    given = {
        "id": "per_1",
        "session_id": "ses_1",
        "message_id": "msg_1",
        "call_id": "call_1",
        "tool": "edit",
        "origin": (),
        "permission": "edit",
        "title": "Edit a.txt",
        "patterns": ("a.txt",),
        "always": (),
        "rule": "edit: * -> ask",
        "change": change,
    }
    return PermissionRequest(**{**given, **fields})


# ---------------------------------------------------------------- diffs


@given(LINES, LINES, st.booleans(), st.booleans())
def test_an_excerpt_of_a_short_text_is_the_whole_text_before_and_after(old_lines, new_lines, old_ends, new_ends):
    old = "\n".join(old_lines) + ("\n" if old_ends and old_lines else "")
    new = "\n".join(new_lines) + ("\n" if new_ends and new_lines else "")
    shown = excerpt("/a", unified_diff(old, new, "a", "a"))
    if old != new:
        assert (shown.old_text, shown.new_text) == (old, new)


def test_an_excerpt_joins_the_hunks_and_names_the_first_line():
    old = "".join(f"{number}\n" for number in range(30))
    new = old.replace("5\n", "five\n", 1).replace("25\n", "25a\n")
    diff = unified_diff(old, new, "a", "a")
    shown = excerpt("/a", diff)
    assert "five\n" in shown.new_text
    assert "25a\n" in shown.new_text
    assert "15\n" not in shown.new_text
    assert first_line(diff) == 3


@corpus(
    ("file", "texts"),
    [
        (proposed("old\n", "new\n"), [("/project/a.txt", "old\n", "new\n")]),
        (proposed("", "new\n", "create"), [("/project/a.txt", None, "new\n")]),
        (proposed("old\n", "", "delete"), [("/project/a.txt", "old\n", "")]),
        (
            proposed("old\n", "new\n", "rename", new_path=ROOT / "b.txt"),
            [("/project/a.txt", "old\n", ""), ("/project/b.txt", None, "new\n")],
        ),
    ],
)
def test_each_kind_of_a_proposed_file_has_its_diffs(file, texts):
    assert [(diff.path, diff.old_text, diff.new_text) for diff in proposed_diffs([file])] == texts


def test_a_large_file_is_shown_by_its_hunks():
    old = "x" * 99 + "\n"
    old = old * (MOST_CHARACTERS // 100)
    (diff,) = proposed_diffs([proposed(old, old + "new\n")])
    assert diff.new_text.endswith("new\n")
    assert len(diff.new_text) < 1000


# ---------------------------------------------------------------- calls


@corpus("tool", sorted(spec.name for spec in tool_specs()))
def test_the_title_of_a_call_says_more_than_the_tools_name_where_the_arguments_do(tool):
    arguments = {"command": "make all", "filePath": "/project/src/a.py", "path": "src", "pattern": "def", "query": "q"}
    part = ToolPart(id="prt_1", call_id="call_1", tool=tool, state=ToolRunning(input=arguments, start=1))
    title = tool_call("msg_1", part, ROOT).title
    assert title not in (tool, "")
    assert "\n" not in title
    assert "/project" not in title


@corpus(
    ("tool", "kind"),
    [
        ("read", "read"),
        ("grep", "search"),
        ("edit", "edit"),
        ("bash", "execute"),
        ("webfetch", "fetch"),
        ("new", "other"),
    ],
)
def test_the_kind_of_a_call_is_the_protocols_word_for_the_tool(tool, kind):
    part = ToolPart(id="prt_1", call_id="call_1", tool=tool, state=ToolRunning(input={}, start=1))
    assert tool_call("msg_1", part, ROOT).kind == kind


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=4), st.sampled_from([None, 2]), st.booleans(), st.data())
def test_the_whole_members_of_an_unfinished_object_are_its_first_members_in_any_layout(value, indent, ascii_only, data):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    place = data.draw(st.integers(0, len(text)))
    members = whole_members(text[:place])
    assert list(members.items()) == list(value.items())[: len(members)]
    if place == len(text) and value:
        assert len(members) == len(value) - 1


@given(st.text(st.sampled_from('{}[]:,"\\ab1 \n'), max_size=30))
def test_the_whole_members_of_any_text_are_an_object(text):
    assert isinstance(whole_members(text), dict)


def test_the_last_whole_member_is_the_member_before_the_last_comma():
    begun = '{"filePath": "a.txt", "content": "one, two'
    assert whole_members(begun) == {"filePath": "a.txt"}
    assert whole_members('{"filePath": "a.txt"') == {}
    assert whole_members('["a", "b"') == {}


def test_a_call_is_pending_with_its_title_while_the_model_writes_the_rest():
    shown = conversation()
    begun = '{"filePath": "/project/src/a.py", "content": "one'
    assert shown.live(event(ToolPending(raw='{"filePath": "/project'), "write")) == []
    (first,) = shown.live(event(ToolPending(raw=begun), "write"))
    assert isinstance(first, acp.ToolCall)
    assert (first.status, first.title, first.kind) == ("pending", "Write src/a.py", "edit")
    assert first.locations == (acp.Location(path="/project/src/a.py"),)
    assert shown.live(event(ToolPending(raw=f"{begun} two"), "write")) == []
    (second,) = shown.live(event(ToolFailed(input={}, error="cut off", start=1, end=2), "write"))
    assert isinstance(second, acp.ToolCallUpdate)
    assert (second.status, second.title) == ("failed", "Write src/a.py")


def test_a_call_without_a_subject_is_not_shown_before_it_runs():
    shown = conversation()
    assert shown.live(event(ToolPending(raw='{"replaceAll": true, "oldString": "one", "new'), "edit")) == []


def test_a_call_is_shown_from_its_arguments_on_and_then_updated():
    shown = conversation()
    assert shown.live(event(ToolPending(raw='{"comm'))) == []
    (first,) = shown.live(event(ToolRunning(input={"command": "make"}, start=1)))
    (second,) = shown.live(event(ToolRunning(input={"command": "make"}, metadata={"output": "cc\n"}, start=1)))
    (third,) = shown.live(event(ToolCompleted(input={}, title="make", output="done", start=1, end=2)))
    assert [type(update) for update in (first, second, third)] == [acp.ToolCall, acp.ToolCallUpdate, acp.ToolCallUpdate]
    assert [update.status for update in (first, second, third)] == ["in_progress", "in_progress", "completed"]
    assert second.content == (acp.Content(acp.Text("```\ncc\n```")),)


def test_a_call_that_fails_before_it_runs_is_shown_once_as_failed():
    (update,) = conversation().live(event(ToolFailed(input={}, error="No.", start=1, end=1)))
    assert (type(update), update.status) == (acp.ToolCall, "failed")


def test_a_partly_accepted_change_is_shown_as_it_landed():
    old, new = "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n"
    landed = unified_diff(old, old.replace("1\n", "one\n"), "a.txt", "a.txt")
    shown = conversation()
    call = shown.asked(request(ProposedChange("chg_1", (proposed(old, new),))))
    shown.shown(call)
    assert call.content[0] == acp.Diff(path="/project/a.txt", old_text=old, new_text=new)
    applied = ChangeApplied(
        message_id="msg_1",
        change_id="chg_1",
        call_id="call_1",
        files=(ChangedFile(uri=(ROOT / "a.txt").as_uri(), kind="modify", diff=landed),),
    )
    shown.live(applied)
    (done,) = shown.live(event(ToolCompleted(input={}, title="", output="", start=1, end=2), "edit"))
    assert isinstance(done.content[0], acp.Diff)
    assert "nine" not in done.content[0].new_text
    assert "one\n" in done.content[0].new_text


def test_long_outputs_and_arguments_are_cut():
    state = ToolCompleted(input={"command": "x" * 10_000}, title="", output="y" * 100_000, start=1, end=2)
    (update,) = conversation().live(event(state))
    assert len(update.raw_input["command"]) == MOST_ARGUMENT + 1
    assert len(update.content[0].content.text) < MOST_OUTPUT + 20


@given(st.text(st.sampled_from("`a\n"), max_size=20))
def test_no_text_ends_its_fence(text):
    fence = fenced(text).split("\n")[0]
    assert fence not in text
    assert fenced(text).endswith(fence)


# ---------------------------------------------------------------- texts


@given(st.text(max_size=30), st.data())
def test_each_character_of_a_text_is_told_once_whatever_is_told_again(text, data):
    shown, told, end = conversation(), "", 0
    while end < len(text):
        start = data.draw(st.integers(0, end))
        stop = data.draw(st.integers(start, len(text)))
        chunk = AgentMessageChunk(message_id="msg_1", part_id="prt_1", offset=start, text=text[start:stop])
        told += "".join(update.content.text for update in shown.live(chunk))
        end = max(end, stop)
        if stop <= start and data.draw(st.booleans()):
            break
    assert text.startswith(told)
    assert len(told) == end


def test_a_mode_that_the_client_knows_is_not_told_again():
    shown = conversation()
    assert shown.live(CurrentModeUpdate(agent="build")) == []
    assert shown.live(CurrentModeUpdate(agent="plan")) == [acp.CurrentMode("plan")]
    assert shown.live(CurrentModeUpdate(agent="plan")) == []


def test_usage_is_told_where_the_size_is_known_with_the_sum_of_the_costs():
    shown = Conversation(ROOT, mode="build", cost=1.0)
    usage = UsageUpdate(message_id="msg_1", tokens=Tokens(), cost=0.5, context_used=10)
    assert shown.live(usage) == []
    told = shown.live(usage.model_copy(update={"context_size": 100}))
    assert told == [acp.Usage(used=10, size=100, cost=acp.Cost(2.0))]
    assert list(shown.replay([usage.model_copy(update={"context_size": 100})])) == told


# ---------------------------------------------------------------- options

OFFERS = [AlwaysOffer(scope, ("a.txt",)) for scope in ("session", "project", "user")]


@given(st.lists(st.sampled_from(OFFERS), unique_by=lambda offer: offer.scope))
def test_a_client_gets_one_option_of_a_kind_and_the_plain_allow_first(offers):
    options = permission_options(request(always=tuple(offers)))
    assert len({option.kind for option in options}) == len(options)
    assert options[0].option_id == "once"
    scopes = [offer.scope for offer in offers]
    widest = next((scope for scope in ("project", "session") if scope in scopes), None)
    assert [option.option_id for option in options if option.kind == "allow_always"] == (
        [f"always:{widest}"] if widest else []
    )


@given(st.recursive(st.none() | st.text() | st.integers(), lambda inner: st.dictionaries(st.text(), inner)))
def test_no_foreign_result_allows(result):
    assert permission_answer(request(), result).outcome == "reject"
    assert permission_answer(request(), {"outcome": {"outcome": "selected", "optionId": result}}).outcome == "reject"


# ---------------------------------------------------------------- the queue


class Sent:
    def __init__(self):
        self.updates = []

    def notify(self, method, params):
        assert method == "session/update"
        self.updates.append((params.session_id, params.update))


UPDATES = st.builds(
    lambda kind, text, message: kind(acp.Text(text), message),
    st.sampled_from([acp.AgentChunk, acp.ThoughtChunk]),
    st.text(min_size=1, max_size=3),
    st.sampled_from(["msg_1", "msg_2"]),
) | st.builds(
    lambda status, text: acp.ToolCallUpdate("c", "t", "execute", status, (acp.Content(acp.Text(text)),)),
    st.sampled_from(["in_progress", "completed"]),
    st.text(max_size=3),
)


def folded(updates):
    """What a client shows: texts joined, and of the notes on a running call the last."""
    shown = []
    for session_id, update in updates:
        key = (session_id, type(update), getattr(update, "message_id", None), getattr(update, "status", None))
        if shown and shown[-1][0] == key and isinstance(update, acp.AgentChunk | acp.ThoughtChunk):
            shown[-1] = (key, shown[-1][1] + update.content.text)
        elif isinstance(update, acp.AgentChunk | acp.ThoughtChunk):
            shown.append((key, update.content.text))
        elif shown and shown[-1][0] == key and update.status == "in_progress":
            shown[-1] = (key, update.content)
        else:
            shown.append((key, update.content))
    return shown


@given(
    st.lists(st.tuples(st.sampled_from(["ses_1", "ses_2"]), UPDATES), max_size=20), st.lists(st.booleans(), max_size=20)
)
def test_a_queue_loses_nothing_and_keeps_the_order_however_the_client_reads(updates, rooms):
    async def run():
        sent, left = Sent(), list(rooms)
        queue = UpdateQueue(sent, lambda: left.pop() if left else True)
        for session_id, update in updates:
            queue.put(session_id, update)
            await asyncio.sleep(0)
        queue.close()
        assert folded(sent.updates) == folded(updates)

    asyncio.run(run())


@pytest.mark.parametrize("kind", [acp.AgentChunk, acp.ThoughtChunk])
async def test_the_first_text_of_a_message_goes_at_once_and_the_next_text_waits(kind):
    sent = Sent()
    queue = UpdateQueue(sent, lambda: True)
    queue.put("ses_1", acp.SessionInfo(title="Begins the pause."))
    for message_id in ("msg_1", "msg_2"):
        queue.put("ses_1", kind(acp.Text("first"), message_id))
        assert sent.updates[-1] == ("ses_1", kind(acp.Text("first"), message_id))
        queue.put("ses_1", kind(acp.Text("next"), message_id))
        assert sent.updates[-1] == ("ses_1", kind(acp.Text("first"), message_id))
    queue.close()


def test_what_the_agent_is_told_of_its_mistake_is_the_raw_output_beside_the_words_for_the_user():
    state = ToolFailed(input={}, error="Read it first.", metadata={"failure": "mistake"}, start=1, end=1)
    (update,) = conversation().live(event(state))
    assert update.raw_output == {"error": "Read it first."}
    assert "Read it first." not in str(update.content)
    (update,) = conversation().live(event(ToolFailed(input={}, error="No.", start=1, end=1)))
    assert update.raw_output is None


def test_a_staged_file_is_shown_as_a_diff_beside_the_written_files_of_the_call():
    written = ChangedFile(uri=(ROOT / "b.txt").as_uri(), kind="modify", diff=unified_diff("1\n", "2\n", "b", "b"))
    data = {"kind": "modify", "diff": unified_diff("old\n", "new\n", "a", "a")}
    files = [
        {"uri": (ROOT / "a.txt").as_uri(), "status": "staged", **data},
        {"uri": (ROOT / "c.txt").as_uri(), "status": "refused", **data},
    ]
    shown = conversation()
    shown.live(event(ToolRunning(input={"command": "make"}, start=1)))
    shown.live(ChangeApplied(message_id="msg_1", change_id="chg_1", call_id="call_1", files=(written,)))
    ended = ToolCompleted(input={}, title="", output="", metadata={"files": files, "summary": "Said."}, start=1, end=2)
    (update,) = shown.live(event(ended))
    assert update.content == (
        acp.Diff(path=str(ROOT / "b.txt"), old_text="1\n", new_text="2\n"),
        acp.Diff(path=str(ROOT / "a.txt"), old_text="old\n", new_text="new\n"),
        acp.Content(acp.Text("Said.")),
    )
    assert [location.path for location in update.locations] == [str(ROOT / "b.txt"), str(ROOT / "a.txt")]
