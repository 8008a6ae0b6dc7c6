"""What stays when the user goes back is named: programs outside of a sandbox, jobs, foreign tools, uncovered files."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.core.messages import AssistantMessage, ToolCompleted, ToolFailed, ToolPart, ToolRunning, ToolState
from placet.sessions.going_back.outside_effects import outside_effects, subagents_of
from placet.sessions.turns.recorder import INTERRUPTED

ROOT = Path("/project")


def message(tool: str, arguments: dict[str, Any], **metadata: Any) -> AssistantMessage:
    return message_with(tool, ToolCompleted(input=arguments, title="", output="", metadata=metadata, start=1, end=2))


def message_with(tool: str, state: ToolState) -> AssistantMessage:
    return AssistantMessage(parent_id="msg_0", parts=(ToolPart(call_id="call_1", tool=tool, state=state),))


def kinds(*messages: AssistantMessage) -> list[str]:
    return [effect.kind for effect in outside_effects(messages, ROOT)]


def test_a_command_that_may_write_outside_of_a_sandbox_is_named() -> None:
    assert kinds(message("bash", {"command": "git push"})) == ["command"]
    assert kinds(message("bash", {"command": "git push"}, sandbox="outside")) == ["command"]


def test_a_command_inside_the_sandbox_or_one_that_only_reads_is_not_named() -> None:
    assert kinds(message("bash", {"command": "make"}, sandbox="inside")) == []
    assert kinds(message("bash", {"command": "git status && ls"})) == []
    assert kinds(message("bash", {"job": "job_1"})) == []


PUSH = {"command": "git push"}


@pytest.mark.parametrize(
    "state",
    [
        ToolRunning(input=PUSH, metadata={"output": ""}, start=1),
        ToolFailed(input=PUSH, error="Cut short.", metadata={"output": "", "interrupted": True}, start=1, end=2),
        ToolFailed(input=PUSH, error=INTERRUPTED, metadata={"interrupted": True}, start=1, end=2),
    ],
    ids=["running", "cancelled while running", "Placet was killed"],
)
def test_a_command_that_may_have_run_without_a_result_is_named(state: ToolState) -> None:
    assert kinds(message_with("bash", state)) == ["command"]


@corpus("background", [False, True])
@corpus("metadata", [{}, {"interrupted": True}])
def test_a_command_that_never_ran_is_not_named(metadata: dict[str, Any], background: bool) -> None:
    arguments = {**PUSH, "background": background}
    state = ToolFailed(input=arguments, error="Not run.", metadata=metadata, start=1, end=2)
    assert kinds(message_with("bash", state)) == []


def test_the_hosts_that_a_command_in_the_sandbox_was_allowed_to_reach_are_named() -> None:
    hosts = ["one.test:443", "two.test:80"]
    texts = [
        effect.text
        for effect in outside_effects([message("bash", {"command": "make"}, sandbox="inside", hosts=hosts)], ROOT)
    ]
    assert texts == [f"network: {host}, for a command in the sandbox: make" for host in hosts]
    assert kinds(message("bash", {"command": "ls"}, sandbox="inside", hosts=["any host"])) == []
    assert kinds(message("bash", {"command": "make"}, sandbox="inside", hosts="one.test")) == []


def test_a_background_job_is_named_in_the_sandbox_too() -> None:
    assert kinds(message("bash", {"command": "npm start", "background": True}, sandbox="inside")) == ["job"]


def test_files_that_undo_does_not_cover_are_named_with_their_path() -> None:
    uncovered = [{"uri": (ROOT / "big.bin").as_uri(), "reason": "too large"}]
    made = message(
        "bash", {"command": "make"}, sandbox="inside", notCoveredByUndo=uncovered, undoDoubt="Too many files."
    )
    texts = [effect.text for effect in outside_effects([made], ROOT)]
    assert len(texts) == 2
    assert str(ROOT / "big.bin") in texts[0]
    assert "Too many files." in texts[1]


def test_a_tool_of_somebody_else_is_named_and_a_built_in_tool_is_not() -> None:
    assert kinds(message("github_create_issue", {}), message("edit", {}), message("webfetch", {})) == ["tool"]


@corpus(
    ("state", "named"),
    [
        (ToolRunning(input={}, start=1), ["tool"]),
        (ToolFailed(input={}, error="No.", metadata={"began": True, "interrupted": True}, start=1, end=2), ["tool"]),
        (ToolFailed(input={}, error=INTERRUPTED, metadata={"interrupted": True}, start=1, end=2), ["tool"]),
        (ToolFailed(input={}, error="Cut short.", metadata={"interrupted": True}, start=1, end=2), []),
        (ToolFailed(input={}, error="The user rejected this call.", start=1, end=2), []),
    ],
)
def test_a_tool_of_somebody_else_is_named_only_if_it_may_have_run(state: ToolState, named: list[str]) -> None:
    assert kinds(message_with("github_create_issue", state)) == named


def test_subagents_are_found_by_their_calls() -> None:
    assert subagents_of([message("task", {}, sessionId="ses_2"), message("read", {})]) == ["ses_2"]


DATA = st.recursive(
    st.none() | st.booleans() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["uri", "x"]), inner),
    max_leaves=5,
)


CALLS = st.fixed_dictionaries({"command": DATA | st.just("make")}, optional={"background": DATA})


@given(st.sampled_from(["bash", "task", "foreign"]), CALLS, DATA, DATA, st.sampled_from(["inside", "outside", 1]), DATA)
def test_no_form_of_the_data_of_a_call_is_an_error(
    tool: str, arguments: dict[str, Any], uncovered: Any, doubt: Any, place: Any, hosts: Any
) -> None:
    metadata = {"notCoveredByUndo": uncovered, "undoDoubt": doubt, "sandbox": place, "hosts": hosts}
    list(outside_effects([message(tool, arguments, **metadata)], ROOT))
