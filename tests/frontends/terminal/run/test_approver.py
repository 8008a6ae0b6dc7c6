import io
from pathlib import Path

import pytest
from rich.console import Console

from placet.core.ports import AlwaysOffer, AskedPart, PermissionAnswer, PermissionRequest, Scope
from placet.core.values import replace
from placet.frontends.terminal.run.approver import TerminalApprover
from placet.project.paths import Workspace


def request(*scopes: Scope) -> PermissionRequest:
    return PermissionRequest(
        id="req_1",
        session_id="ses_1",
        message_id="msg_1",
        call_id="call_1",
        tool="bash",
        origin=(),
        permission="bash",
        title="git status && rm -rf build",
        patterns=("git status", "rm -rf build"),
        always=tuple(AlwaysOffer(scope, ("rm *",)) for scope in scopes),
        rule="`bash: rm *` -> ask (/home/ada/placet.json:4)",
        parts=(
            AskedPart("git status", "allow", "`bash: git *` -> allow (/home/ada/placet.json:3)"),
            AskedPart("rm -rf build", "ask", "`bash: rm *` -> ask (/home/ada/placet.json:4)"),
        ),
        command="git status && rm -rf build",
        description="The model says: “Clean up”",
    )


async def asked(request: PermissionRequest, *typed: str) -> tuple[PermissionAnswer, str]:
    """The answer, and what was shown."""
    lines = iter(typed)

    async def read_line(prompt: str) -> str:
        return next(lines)

    shown = io.StringIO()
    console = Console(file=shown, width=200)
    approver = TerminalApprover(console, Workspace((Path("/project"),)), read_line, lambda change_id: None)
    return await approver.request_permission(request), shown.getvalue()


async def test_each_command_is_shown_with_what_becomes_of_it_and_by_which_rule() -> None:
    _, shown = await asked(request("session"), "y")
    lines = [line.strip() for line in shown.splitlines()]
    assert lines == [
        "$ git status && rm -rf build",
        "allowed  git status",
        "by `bash: git *` -> allow (/home/ada/placet.json:3)",
        "asked    rm -rf build",
        "by `bash: rm *` -> ask (/home/ada/placet.json:4)",
        "asked by `bash: rm *` -> ask (/home/ada/placet.json:4)",
        "The model says: “Clean up”",
        "a          always in this session: rm *",
    ]


async def test_only_answers_that_fit_the_request_are_offered() -> None:
    prompts: list[str] = []
    lines = iter(["?", "y"])

    async def read_line(prompt: str) -> str:
        prompts.append(prompt)
        return next(lines)

    shown = io.StringIO()
    workspace = Workspace((Path("/project"),))
    approver = TerminalApprover(Console(file=shown, width=200), workspace, read_line, lambda change_id: None)
    await approver.request_permission(request("session"))

    assert prompts == ["Allow? [y/n/a/?] "] * 2
    assert [line.split()[0] for line in shown.getvalue().splitlines()[-4:]] == ["y", "a", "n", "?"]


async def test_a_rejection_of_a_host_is_said_to_end_no_turn() -> None:
    connection = replace(request(), permission="sandbox", patterns=("connect example.com:443",))
    _, shown = await asked(connection, "?", "n")
    assert "n          reject the connection; the command and the turn go on without it" in shown
    assert "the turn ends" not in shown
    _, shown = await asked(replace(connection, patterns=("write /etc",)), "?", "n")
    assert "without a reason the turn ends" in shown


@pytest.mark.parametrize(
    ("typed", "scope"),
    [("a", "session"), ("a session", "session"), ("a project", "project"), ("a p", "project"), ("always USER", "user")],
)
async def test_always_is_meant_for_as_long_as_is_said(typed: str, scope: Scope) -> None:
    answer, _ = await asked(request("session", "project", "user"), typed)
    assert answer == PermissionAnswer("always", scope=scope)


async def test_what_is_not_offered_is_asked_again_with_what_is() -> None:
    answer, shown = await asked(request("session"), "a user", "n")
    assert answer.outcome == "reject"
    assert "always in this session: rm *" in shown
    answer, shown = await asked(request(), "a", "y")
    assert answer.outcome == "once"
    assert "not offered" in shown
