"""How careful a session is, as rules: more questions than the rules ask, or fewer, and a denial always stands."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from changes_support.approver import ScriptedApprover
from corpus_support import corpus, examples
from placet.core.errors import PermissionDenied
from placet.core.ports import PermissionRequest
from placet.permissions.ask import Ask, Caller
from placet.permissions.caution import THIS_SESSION, allowances, restricted
from placet.permissions.decision import verdict_on
from placet.permissions.gate import Gate, Opinion
from placet.permissions.grants import Grants
from placet.permissions.lint import warnings
from placet.permissions.rules import ALLOWED, ASKED, DENIED, Rule, builtin_rules, evaluate, from_config

NAMES = (*ALLOWED, *ASKED, *DENIED, "mymcp_tool", "*", "web*", "e*", "*d*")
PATTERNS = ("*", "a", "a*", "src/*", "*.env")
written = st.builds(
    Rule, st.sampled_from(NAMES), st.sampled_from(PATTERNS), st.sampled_from(("allow", "ask", "deny")), st.just("mine")
)
LOOKS = (*ALLOWED, "external_directory", "plan_enter", "plan_exit")


def more(config: Any) -> tuple[Rule, ...]:
    return restricted((*builtin_rules(), *from_config(config, "mine")), "more")


@settings(max_examples=examples(100))
@given(
    rules=st.lists(written, max_size=6),
    permission=st.sampled_from([name for name in NAMES if "*" not in name] + ["unknown"]),
    pattern=st.sampled_from(["a", "b", "src/x", "x.env"]),
)
def test_more_care_turns_each_allowance_of_an_act_into_an_ask_and_changes_nothing_else(
    rules: list[Rule], permission: str, pattern: str
) -> None:
    usual = (*builtin_rules(), *rules)
    before, after = evaluate(usual, permission, pattern), evaluate(restricted(usual, "more"), permission, pattern)
    if permission in LOOKS or before.action == "deny":
        assert after.action == before.action
        assert not after.is_always_asked
    else:
        assert after.action == "ask"
        assert after.is_always_asked
        assert after.source.startswith(THIS_SESSION)


@settings(max_examples=examples(100))
@given(
    rules=st.lists(written, max_size=6),
    permission=st.sampled_from([name for name in NAMES if "*" not in name]),
    pattern=st.sampled_from(["a", "src/x", "x.env"]),
)
def test_less_care_allows_the_web_alone_and_only_where_no_rule_of_the_user_decides(
    rules: list[Rule], permission: str, pattern: str
) -> None:
    before = evaluate((*builtin_rules(), *rules), permission, pattern)
    after = evaluate((*builtin_rules(), *allowances("less"), *rules), permission, pattern)
    if permission in ("webfetch", "websearch", "codesearch") and before.source != "mine":
        assert (after.action, after.source) == ("allow", "this session asks less")
    else:
        assert after == before


def test_the_usual_care_changes_no_rule() -> None:
    assert restricted(builtin_rules(), "default") == builtin_rules()
    assert allowances("default") == allowances("more") == ()


@corpus("vouched", ["reading", "sandbox"])
def test_more_care_asks_about_a_command_that_only_reads_or_that_the_sandbox_contains(vouched: Any) -> None:
    ask = Ask("bash", ("ls",), (), "ls", command="ls", vouched=vouched)
    assert verdict_on(ask, builtin_rules(), (), lambda *_: None).action == "allow"
    verdict = verdict_on(ask, more({}), (), lambda *_: None)
    assert (verdict.action, verdict.deciding.rule.source) == ("ask", "this session asks more")


def test_the_rule_that_would_allow_is_named() -> None:
    rule = evaluate(more({"bash": {"git status *": "allow"}}), "bash", "git status")
    assert str(rule) == "`bash: git status *` -> ask (this session asks more, over mine)"


def test_rules_that_a_session_adds_are_no_mistakes_of_the_user() -> None:
    rules = more({"bash": {"git *": "ask", "*": "allow"}})
    assert not any(rule.source.startswith(THIS_SESSION) for rule in warnings(rules))


async def asked(rules: tuple[Rule, ...], grants: Grants, opinion: Opinion | None = None) -> PermissionRequest | None:
    """Return the request about a command, or None if the gate asks nobody."""
    user = ScriptedApprover()
    gate = Gate(user, grants, opinion)
    await gate.check(Ask("bash", ("make",), ("make *",), "make", command="make"), caller(rules))
    return next(iter(user.requests), None)


def caller(rules: tuple[Rule, ...]) -> Caller:
    return Caller("ses_1", "msg_1", "call_1", "bash", (), rules)


async def test_no_grant_answers_in_a_session_that_asks_more_and_none_is_offered() -> None:
    grants = Grants()
    grants.remember("bash", ["make *"], scope="session", session_id="ses_1")
    assert await asked(builtin_rules(), grants) is None
    request = await asked(more({}), grants)
    assert request is not None
    assert request.always == ()
    assert Gate(ScriptedApprover(), grants).judge("bash", "make", caller(more({}))) == "ask"
    offered = await asked(builtin_rules(), Grants())
    assert offered is not None
    assert offered.always != ()


async def test_a_plugin_allows_nothing_in_a_session_that_asks_more() -> None:
    async def allows(*_: object) -> Any:
        return "allow"

    assert await asked(builtin_rules(), Grants(), allows) is None
    assert await asked(more({}), Grants(), allows) is not None


async def test_a_denial_stands_in_a_session_that_asks_more() -> None:
    with pytest.raises(PermissionDenied, match=r"mine"):
        await asked(more({"bash": {"make *": "deny"}}), Grants())
