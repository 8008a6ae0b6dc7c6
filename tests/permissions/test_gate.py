import asyncio
import json
from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import Any

import pytest

from changes_support.approver import ALWAYS, ONCE, REJECT, Nobody, PatientApprover
from corpus_support import corpus
from placet.core.errors import NobodyToAsk, PermissionDenied, Rejected
from placet.core.ports import PermissionAnswer
from placet.core.values import replace
from placet.permissions.gate import Ask, Caller, Gate
from placet.permissions.grants import Grants
from placet.permissions.grants_file import GrantsFile
from placet.permissions.rules import from_config
from time_support import wait_seconds
from tools_support.workbench import UserAtHand

ASKING: Mapping[str, Any] = {"edit": "ask", "bash": "ask"}


def caller(session: str = "one", *, origin: tuple[str, ...] = (), permission: Any = ASKING) -> Caller:
    return Caller(session, "msg_1", "call_1", "edit", origin, from_config(permission, "the test"))


def ask(title: str, *patterns: str, permission: str = "edit", always: tuple[str, ...] | None = None) -> Ask:
    return Ask(permission, patterns, patterns if always is None else always, title)


async def outcome(check: Awaitable[PermissionAnswer | None]) -> Any:
    try:
        return await check
    except (Rejected, PermissionDenied, NobodyToAsk) as error:
        return error


def kept_in(directory: Path, *roots: str) -> Grants:
    return Grants(GrantsFile(directory / "grants.json"), [directory / root for root in roots or ("project",)])


class Screen:
    """A gate, the questions asked at once, and what became of each."""

    def __init__(self, grants: Grants | None = None) -> None:
        self.approver = PatientApprover()
        self.gate = Gate(self.approver, grants)
        self.checks: dict[str, asyncio.Task[Any]] = {}

    async def put(self, ask: Ask, caller: Caller) -> None:
        self.checks[ask.title] = asyncio.ensure_future(outcome(self.gate.check(ask, caller)))
        await self.approver.shown(ask.title)

    async def outcome(self, title: str) -> Any:
        async with asyncio.timeout(wait_seconds()):
            return await self.checks[title]

    def is_open(self, title: str) -> bool:
        return title in self.approver.screen


async def test_rules_that_allow_everything_ask_nobody() -> None:
    rules = {"edit": {"*": "ask", "a*": "allow"}}
    assert await Gate(Nobody()).check(ask("x", "a1", "a2"), caller(permission=rules)) is None


async def test_one_pattern_that_asks_is_enough_and_its_rule_is_named() -> None:
    screen = Screen()
    await screen.put(ask("x", "a", "b"), caller(permission={"edit": {"*": "allow", "b": "ask"}}))
    assert screen.approver.requests[0].rule == "`edit: b` -> ask (the test)"
    screen.approver.answer("x", ONCE)
    assert await screen.outcome("x") == ONCE


async def test_one_pattern_that_is_denied_is_enough_and_nobody_is_asked() -> None:
    rules = {"edit": {"*": "ask", "b": "deny"}}
    with pytest.raises(PermissionDenied, match=r"`edit: b` -> deny \(the test\)"):
        await Gate(Nobody()).check(ask("x", "a", "b"), caller(permission=rules))


async def test_no_patterns_at_all_are_not_an_allowance() -> None:
    with pytest.raises(NobodyToAsk):
        await Gate(Nobody()).check(ask("x"), caller(permission={"edit": {"a*": "allow"}}))


async def test_nobody_to_ask_says_which_rule_asked() -> None:
    with pytest.raises(NobodyToAsk, match=r"`edit` of `a`.*`edit: "):
        await Gate(Nobody()).check(ask("x", "a"), caller())


async def test_always_allows_the_same_again_in_this_session_only() -> None:
    screen = Screen()
    await screen.put(ask("x", "src/a", always=("src/*",)), caller())
    screen.approver.answer("x", ALWAYS)
    assert await screen.outcome("x") == ALWAYS
    assert await screen.gate.check(ask("y", "src/b"), caller()) is None
    await screen.put(ask("z", "src/b"), caller("two"))
    screen.approver.answer("z", ONCE)
    assert await screen.outcome("z") == ONCE


async def test_always_for_the_project_holds_in_its_other_sessions(tmp_path: Path) -> None:
    screen = Screen(kept_in(tmp_path))
    await screen.put(ask("x", "a"), caller())
    screen.approver.answer("x", PermissionAnswer("always", scope="project"))
    await screen.outcome("x")
    assert await screen.gate.check(ask("y", "a"), caller("two")) is None
    (grant,) = screen.gate.grants.holding("two")
    assert grant.scope == "project"
    assert await screen.gate.grants.revoke(grant.id)
    await screen.put(ask("z", "a"), caller("two"))
    screen.approver.answer("z", ONCE)
    await screen.outcome("z")


async def test_always_never_overrules_a_rule_that_denies() -> None:
    screen = Screen()
    rules = {"bash": {"*": "ask", "git push *": "deny"}}
    await screen.put(ask("x", "git status", permission="bash", always=("git *",)), caller(permission=rules))
    screen.approver.answer("x", ALWAYS)
    await screen.outcome("x")
    with pytest.raises(PermissionDenied):
        await screen.gate.check(ask("y", "git push", permission="bash"), caller(permission=rules))


async def test_always_takes_the_questions_it_answers_off_the_screen() -> None:
    screen = Screen()
    await screen.put(ask("x", "a"), caller())
    await screen.put(ask("same", "a"), caller())
    await screen.put(ask("more", "a", "b"), caller())
    await screen.put(ask("elsewhere", "a"), caller("two"))
    screen.approver.answer("x", ALWAYS)
    assert await screen.outcome("same") is None
    assert screen.approver.taken_off == ["same"]
    assert (screen.is_open("more"), screen.is_open("elsewhere")) == (True, True)
    for title in ("more", "elsewhere"):
        screen.approver.answer(title, ONCE)
        assert await screen.outcome(title) == ONCE


async def test_always_for_the_project_leaves_the_questions_of_other_sessions_on_the_screen(tmp_path: Path) -> None:
    screen = Screen(kept_in(tmp_path))
    await screen.put(ask("x", "a"), caller())
    await screen.put(ask("elsewhere", "a"), caller("two"))
    screen.approver.answer("x", PermissionAnswer("always", scope="project"))
    await screen.outcome("x")
    assert screen.is_open("elsewhere")
    screen.approver.answer("elsewhere", ONCE)
    assert await screen.outcome("elsewhere") == ONCE


async def test_a_rejection_without_a_word_ends_the_other_questions_of_the_turn() -> None:
    screen = Screen()
    await screen.put(ask("x", "a"), caller())
    await screen.put(ask("same turn", "b", permission="bash"), caller())
    await screen.put(ask("other session", "b"), caller("two"))
    await screen.put(ask("other agent", "b"), caller(origin=("general",)))
    screen.approver.answer("x", REJECT)
    assert isinstance(await screen.outcome("x"), Rejected)
    assert isinstance(await screen.outcome("same turn"), Rejected)
    for title in ("other session", "other agent"):
        assert screen.is_open(title)
        screen.approver.answer(title, ONCE)
        assert await screen.outcome(title) == ONCE


async def test_a_rejection_with_feedback_ends_its_own_question_only() -> None:
    screen = Screen()
    await screen.put(ask("x", "a"), caller())
    await screen.put(ask("y", "b"), caller())
    screen.approver.answer("x", PermissionAnswer("reject", feedback="not there"))
    assert (await screen.outcome("x")).feedback == "not there"
    assert screen.is_open("y")
    screen.approver.answer("y", ONCE)
    assert await screen.outcome("y") == ONCE


async def test_two_answers_at_once_are_each_applied_once() -> None:
    screen = Screen()
    await screen.put(ask("x", "a"), caller())
    await screen.put(ask("y", "a"), caller())
    screen.approver.answer("x", ALWAYS)
    screen.approver.answer("y", REJECT)
    assert await screen.outcome("x") == ALWAYS
    assert isinstance(await screen.outcome("y"), Rejected)


async def test_cancelling_takes_the_question_off_the_screen_and_leaves_no_task() -> None:
    screen = Screen()
    await screen.put(ask("x", "a"), caller())
    screen.checks["x"].cancel()
    await asyncio.gather(screen.checks["x"], return_exceptions=True)
    assert screen.approver.taken_off == ["x"]
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def offered(grants: Grants | None, wanted: Ask) -> list[str]:
    screen = Screen(grants)
    await screen.put(wanted, caller(permission="ask"))
    screen.approver.answer(wanted.title, ONCE)
    await screen.outcome(wanted.title)
    return [offer.scope for offer in screen.approver.requests[0].always]


async def test_only_what_is_kept_is_offered_for_always(tmp_path: Path) -> None:
    command = ask("x", "make test", permission="bash")
    assert await offered(None, command) == ["session"]
    assert await offered(kept_in(tmp_path), command) == ["session", "project", "user"]
    assert await offered(kept_in(tmp_path), ask("x", "rm $X", permission="bash", always=())) == []


async def test_a_file_is_not_offered_everywhere_when_its_name_is_the_projects(tmp_path: Path) -> None:
    assert await offered(kept_in(tmp_path), ask("x", "src/a.py")) == ["session", "project"]
    assert await offered(kept_in(tmp_path), ask("x", "/etc/hosts")) == ["session", "project", "user"]


async def test_going_on_with_a_loop_is_never_offered_for_longer_than_the_session(tmp_path: Path) -> None:
    assert await offered(kept_in(tmp_path), ask("x", "read", permission="doom_loop")) == ["session"]


async def test_more_than_was_offered_cannot_be_granted(tmp_path: Path) -> None:
    screen = Screen(kept_in(tmp_path))
    await screen.put(ask("x", "src/a.py"), caller())
    screen.approver.answer("x", PermissionAnswer("always", scope="user"))
    await screen.outcome("x")
    assert [grant.scope for grant in screen.gate.grants.holding("one")] == ["session"]


async def test_the_request_names_each_part_with_what_decides_about_it() -> None:
    screen = Screen()
    rules = {"bash": {"*": "ask", "git *": "allow"}}
    await screen.put(
        ask("x", "git status", "rm x", "make", permission="bash", always=("make",)), caller(permission=rules)
    )
    screen.approver.answer("x", ALWAYS)
    await screen.outcome("x")
    await screen.put(ask("y", "git status", "rm x", "make", permission="bash"), caller(permission=rules))
    parts = screen.approver.requests[1].parts
    assert [(part.pattern, part.action) for part in parts] == [
        ("git status", "allow"),
        ("rm x", "ask"),
        ("make", "allow"),
    ]
    assert parts[0].by == "`bash: git *` -> allow (the test)"
    assert "you said always in this session" in parts[2].by
    screen.approver.answer("y", ONCE)
    await screen.outcome("y")


async def test_a_broken_file_of_grants_is_told_with_the_next_question_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "grants.json").write_text("{broken")
    screen = Screen(kept_in(tmp_path))
    await screen.put(ask("x", "a"), caller())
    request = screen.approver.requests[0]
    assert str(tmp_path / "grants.json") in request.rule
    assert [offer.scope for offer in request.always] == ["session"]
    screen.approver.answer("x", PermissionAnswer("always", scope="project"))
    await screen.outcome("x")
    assert await screen.gate.check(ask("y", "a"), caller()) is None
    assert (tmp_path / "grants.json").read_text() == "{broken"


async def test_a_grant_that_another_process_writes_or_revokes_counts_at_the_next_ask(tmp_path: Path) -> None:
    here, elsewhere = Gate(Nobody(), kept_in(tmp_path)), kept_in(tmp_path)
    with pytest.raises(NobodyToAsk):
        await here.check(ask("x", "a"), caller())
    await elsewhere.add("edit", ["a"], scope="project", session_id="other")
    assert await here.check(ask("x", "a"), caller()) is None
    assert here.judge("edit", "a", caller()) == "allow"
    (grant,) = elsewhere.all()
    await elsewhere.revoke(grant.id)
    assert here.judge("edit", "a", caller()) == "ask"
    with pytest.raises(NobodyToAsk):
        await here.check(ask("x", "a"), caller())


@corpus(
    "title", ["Run it" + "\n" * 200 + "  git status", "\x1b[2Ka\u202eb\u2028c\x07", "x" * 5_000, "a\tb\r\n  in /home"]
)
async def test_every_title_is_one_short_line_without_controls(title: str) -> None:
    user = UserAtHand([REJECT])
    with pytest.raises(Rejected):
        await Gate(user).check(Ask("mine", ("whole\npattern",), (), title), caller())
    [request] = user.requests
    assert len(request.title) <= 100
    assert request.title.isprintable()
    # What the title cannot hold is shown beside it.
    assert json.loads(request.arguments) == {"patterns": ["whole\npattern"]}


async def test_the_same_question_of_parallel_calls_is_one_question_and_one_answer() -> None:
    for answer, expected in ((ONCE, ONCE), (ALWAYS, ALWAYS)):
        screen = Screen()
        await screen.put(ask("x", "make", permission="bash"), caller())
        parallel = [asyncio.ensure_future(outcome(screen.gate.check(ask("x", "make", permission="bash"), caller())))]
        described = replace(ask("x", "make", permission="bash"), description="The model says: “again”")
        parallel.append(asyncio.ensure_future(outcome(screen.gate.check(described, caller()))))
        screen.approver.answer("x", answer)
        async with asyncio.timeout(wait_seconds()):
            assert await asyncio.gather(screen.outcome("x"), *parallel) == [expected] * 3
        assert len(screen.approver.requests) == 1


async def test_a_rejection_of_one_question_rejects_the_parallel_calls() -> None:
    screen = Screen()
    await screen.put(ask("x", "make", permission="bash"), caller())
    parallel = asyncio.ensure_future(outcome(screen.gate.check(ask("x", "make", permission="bash"), caller())))
    screen.approver.answer("x", PermissionAnswer("reject", feedback="no"))
    assert isinstance(await screen.outcome("x"), Rejected)
    rejection = await parallel
    assert isinstance(rejection, Rejected)
    assert str(rejection) == "no"
    assert len(screen.approver.requests) == 1


async def test_a_question_put_away_with_its_call_is_asked_for_the_parallel_call() -> None:
    screen = Screen()
    await screen.put(ask("x", "make", permission="bash"), caller())
    parallel = asyncio.ensure_future(outcome(screen.gate.check(ask("x", "make", permission="bash"), caller())))
    await asyncio.sleep(0)
    screen.checks["x"].cancel()
    await asyncio.gather(screen.checks["x"], return_exceptions=True)
    async with asyncio.timeout(wait_seconds()):
        await screen.approver.shown("x")
    screen.approver.answer("x", ONCE)
    assert await parallel == ONCE
    assert len(screen.approver.requests) == 2


async def test_another_session_and_another_agent_ask_for_themselves() -> None:
    screen = Screen()
    checks = [
        asyncio.ensure_future(outcome(screen.gate.check(ask("x", "make", permission="bash"), one)))
        for one in (caller(), caller("two"), caller(origin=("explore",)))
    ]
    for _ in range(20):
        await asyncio.sleep(0)
    assert len(screen.approver.requests) == 3
    for check in checks:
        check.cancel()


@corpus(
    "command",
    ["rm x", "/bin/rm -rf x", "sudo ls", "doas ls", "su", "dd if=a of=b", "mkfs.ext4 x", "sh", "bash -s", "bash -",
     "python3 -", "reboot", "shred x", "find . -delete"],
)  # fmt: skip
async def test_no_grant_is_offered_for_and_none_covers_a_command_that_destroys_or_runs_what_it_reads(
    command: str,
) -> None:
    screen, granted = Screen(), Gate(Nobody())
    program = command.partition(" ")[0]
    await screen.put(ask("x", command, permission="bash"), caller())
    assert screen.approver.requests[0].always == ()
    screen.approver.answer("x", ONCE)
    assert await screen.outcome("x") == ONCE
    granted.grants.remember("bash", (f"{program} *", "*", command), scope="session", session_id="one")
    with pytest.raises(NobodyToAsk):
        await granted.check(ask("x", command, permission="bash"), caller())
    allowing = caller(permission={"bash": {f"{program} *": "allow"}})
    assert await screen.gate.check(ask("y", command, permission="bash"), allowing) is None, "a rule of the user"


async def test_a_grant_to_leave_the_sandbox_is_never_for_good_and_for_a_project_names_a_need(tmp_path: Path) -> None:
    for always, scopes in (("connect a.b:443", ["session", "project"]), ("make *", ["session"])):
        screen = Screen(kept_in(tmp_path))
        await screen.put(ask("x", "make", always, permission="sandbox", always=(always,)), caller(permission={}))
        assert [offer.scope for offer in screen.approver.requests[0].always] == scopes
        screen.approver.answer("x", REJECT)
        await screen.outcome("x")
