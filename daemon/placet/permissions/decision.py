"""Judgement of an ask by the rules and the grants, for the gate and for `explain`; no other code judges."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

from msgspec import Struct

from placet.permissions.ask import Ask, Condition
from placet.permissions.grants import Grant
from placet.permissions.rules import Roots, Rule, decider
from placet.settings import Action

FindGrant = Callable[[str, str], Grant | None]
"""Function that returns the grant for (permission, pattern), or None."""


class PatternDecision(Struct, frozen=True):
    """Judgement of a pattern: the deciding rule, and the grant that turns the rule's ask into an allowance."""

    permission: str
    pattern: str
    rule: Rule
    grant: Grant | None = None
    reason: str = ""
    """Reason why a permission other than the ask's own is needed."""

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
    for pattern in ask.patterns or ("*",):
        rule = decide(pattern)
        grant = find_grant(ask.permission, pattern) if rule.action == "ask" else None
        judged.append(PatternDecision(ask.permission, pattern, rule, grant))
    for condition in ask.conditions:
        rule = deciders(condition.permission)(condition.pattern)
        judged += _judged_condition(condition, rule, find_grant)
    if ask.command is not None:
        rule = decide(ask.command)
        if rule.action == "deny" and rule.pattern != "*":
            judged.append(PatternDecision(ask.permission, ask.command, rule))
    return Verdict(tuple(judged))


def _judged_condition(condition: Condition, rule: Rule, find_grant: FindGrant) -> Iterator[PatternDecision]:
    """Yield the judged condition, unless the rule meets a demand that is weaker than an allowance."""
    permission, pattern, reason = condition.permission, condition.pattern, condition.reason
    match condition.demand:
        case "allowed":
            grant = find_grant(permission, pattern) if rule.action == "ask" else None
            yield PatternDecision(permission, pattern, rule, grant, reason)
        case "not denied":
            if rule.action == "deny":
                yield PatternDecision(permission, pattern, rule, reason=reason)
        case "not denied by name":
            if rule.action == "deny" and rule.pattern != "*":
                yield PatternDecision(permission, pattern, rule, reason=reason)
