"""Judgement of an ask by the rules and the grants, for the gate and for `explain`; no other code judges."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

from msgspec import Struct

from placet.permissions.ask import Ask, Condition, Vouched
from placet.permissions.grants import Grant
from placet.permissions.rules import BUILT_IN, UNPROVED, Roots, Rule, applies, decider
from placet.settings import Action

_VOUCHERS: dict[Vouched, str] = {
    "reading": "it only reads",
    "sandbox": "the sandbox contains it",
    "leaving": "it may leave the sandbox",
    "answer": "you let it leave the sandbox",
}
FindGrant = Callable[[str, str], Grant | None]
"""Function that returns the grant for (permission, pattern), or None."""


class PatternDecision(Struct, frozen=True):
    """Judgement of a pattern: the deciding rule, and the grant that turns the rule's ask into an allowance."""

    permission: str
    pattern: str
    rule: Rule
    grant: Grant | None = None
    reason: str = ""
    """Reason why a permission other than the ask's own is needed, or why a contained command is asked."""

    @property
    def action(self) -> Action:
        return "allow" if self.grant is not None else self.rule.action

    @property
    def by(self) -> str:
        """Return the deciding grant or rule in words, and the reason why the permission is needed."""
        decider = str(self.grant or self.rule)
        return f"{decider}. {self.reason}" if self.reason else decider


class Verdict(Struct, frozen=True):
    judged: tuple[PatternDecision, ...]
    """Judgements in the order of the ask's patterns; then the ask's conditions, and a command line denied as
    written."""

    @property
    def deciding(self) -> PatternDecision:
        """Return the first judgement with a denial, else the first with an ask, else the first."""
        for action in ("deny", "ask", "allow"):
            for judgement in self.judged:
                if judgement.action == action:
                    return judgement
        raise AssertionError("an ask is judged by at least one pattern")

    @property
    def action(self) -> Action:
        return self.deciding.action


def verdict_on(ask: Ask, rules: Sequence[Rule], roots: Roots, find_grant: FindGrant) -> Verdict:
    """Return the verdict on the ask: every pattern must be allowed; an ask without patterns is for everything.

    A grant never overrules a denial. A rule may also deny a command line as written; a rule that denies everything
    leaves the decision to each command's own.
    """
    deciders = cache(partial(decider, rules, roots=roots))
    decide = deciders(ask.permission)
    judged: list[PatternDecision] = []
    reasons = dict(ask.unvouched)
    for pattern in ask.patterns or ("*",):
        rule = decide(pattern)
        grant = _found_grant(rule, ask.permission, pattern, find_grant)
        if rule.action == "ask" and grant is None and pattern not in reasons:
            rule = _vouching_rule(ask, pattern, rule, rules) or rule
        reason = reasons.get(pattern, "") if rule.action == "ask" else ""
        judged.append(PatternDecision(ask.permission, pattern, rule, grant, reason))
    for condition in ask.conditions:
        rule = deciders(condition.permission)(condition.pattern)
        judged += _judged_condition(condition, rule, find_grant)
    if ask.command is not None:
        rule = decide(ask.command)
        if rule.action == "deny" and rule.pattern != "*":
            judged.append(PatternDecision(ask.permission, ask.command, rule))
    return Verdict(tuple(judged))


def is_grantable(rule: Rule) -> bool:
    """Return whether a grant turns the rule's action into an allowance."""
    return rule.action == "ask" and not rule.is_always_asked


def _found_grant(rule: Rule, permission: str, pattern: str, find_grant: FindGrant) -> Grant | None:
    return find_grant(permission, pattern) if is_grantable(rule) else None


def _vouching_rule(ask: Ask, pattern: str, rule: Rule, rules: Sequence[Rule]) -> Rule | None:
    """Return the built-in rule that allows the pattern in place of a question, or None.

    Rules of the user outrank the built-in rule. The command behind an unproved point may be a command that a rule of
    the user asks about or denies.
    """
    if not ask.vouched or (rule.source != BUILT_IN and ask.vouched != "answer"):
        return None
    if ask.vouched == "sandbox" and pattern.startswith(UNPROVED) and any(map(_restricts_commands, rules)):
        return None
    return Rule(ask.permission, "*", "allow", f"{BUILT_IN}: {_VOUCHERS[ask.vouched]}")


def _restricts_commands(rule: Rule) -> bool:
    is_own = rule.source != BUILT_IN and not rule.pattern.startswith(UNPROVED)
    return is_own and rule.action != "allow" and applies(rule, "bash")


def _judged_condition(condition: Condition, rule: Rule, find_grant: FindGrant) -> Iterator[PatternDecision]:
    """Yield the judged condition, unless the rule meets a demand that is weaker than an allowance."""
    permission, pattern, reason = condition.permission, condition.pattern, condition.reason
    match condition.demand:
        case "allowed":
            grant = _found_grant(rule, permission, pattern, find_grant)
            yield PatternDecision(permission, pattern, rule, grant, reason)
        case "not denied":
            if rule.action == "deny":
                yield PatternDecision(permission, pattern, rule, reason=reason)
        case "not denied by name":
            if rule.action == "deny" and rule.pattern != "*":
                yield PatternDecision(permission, pattern, rule, reason=reason)
