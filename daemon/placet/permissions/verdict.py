"""What the rules and the grants say of an ask: the gate acts by it, `explain` tells it, and nobody else judges."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

from placet.permissions.ask import Ask, Condition
from placet.permissions.grants import Grant
from placet.permissions.rules import Roots, Rule, decider
from placet.settings import Action

FindGrant = Callable[[str, str], Grant | None]
"""The grant that allows (permission, pattern) here."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One pattern of an ask, the rule that decides about it, and the grant that turns its ask into an allowance."""

    permission: str
    pattern: str
    rule: Rule
    grant: Grant | None = None
    reason: str = ""
    """Why a permission is needed that is not the ask's own."""

    @property
    def action(self) -> Action:
        return "allow" if self.grant is not None else self.rule.action

    @property
    def by(self) -> str:
        """What decides, in words: the grant, or the rule; and why that permission is needed."""
        decider = str(self.grant or self.rule)
        return f"{decider}. {self.reason}" if self.reason else decider


@dataclass(frozen=True, slots=True)
class Verdict:
    judged: tuple[Judged, ...]
    """In the order of the ask's patterns; then its conditions, and a command line that is denied as it is written."""

    @property
    def deciding(self) -> Judged:
        """The first that denies, else the first that asks, else the first."""
        for action in ("deny", "ask", "allow"):
            for one in self.judged:
                if one.action == action:
                    return one
        raise AssertionError("an ask is judged by at least one pattern")

    @property
    def action(self) -> Action:
        return self.deciding.action


def verdict_on(ask: Ask, rules: Sequence[Rule], roots: Roots, find_grant: FindGrant) -> Verdict:
    """Every pattern must be allowed; an ask without patterns is one for everything. A grant never overrules a denial.

    A rule may also deny a command line as it is written; one that denies all leaves it to each command's own.
    """
    deciders = cache(partial(decider, rules, roots=roots))
    decide = deciders(ask.permission)
    judged: list[Judged] = []
    for pattern in ask.patterns or ("*",):
        rule = decide(pattern)
        grant = find_grant(ask.permission, pattern) if rule.action == "ask" else None
        judged.append(Judged(ask.permission, pattern, rule, grant))
    for condition in ask.conditions:
        rule = deciders(condition.permission)(condition.pattern)
        judged += _judged_condition(condition, rule, find_grant)
    if ask.command is not None:
        rule = decide(ask.command)
        if rule.action == "deny" and rule.pattern != "*":
            judged.append(Judged(ask.permission, ask.command, rule))
    return Verdict(tuple(judged))


def _judged_condition(condition: Condition, rule: Rule, find_grant: FindGrant) -> Iterator[Judged]:
    """Yield the condition as judged, unless the rule meets a demand that is weaker than an allowance."""
    permission, pattern, reason = condition.permission, condition.pattern, condition.reason
    match condition.demand:
        case "allowed":
            grant = find_grant(permission, pattern) if rule.action == "ask" else None
            yield Judged(permission, pattern, rule, grant, reason)
        case "not denied":
            if rule.action == "deny":
                yield Judged(permission, pattern, rule, reason=reason)
        case "not denied by name":
            if rule.action == "deny" and rule.pattern != "*":
                yield Judged(permission, pattern, rule, reason=reason)
