"""Judgement of an ask by the rules and the grants, for the gate and for `explain`; no other code judges."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

from msgspec import Struct

from placet.permissions.ask import Ask, Condition, Vouched
from placet.permissions.grants import Grant
from placet.permissions.patterns import matches
from placet.permissions.rules import BUILT_IN, STRICTNESS, UNPROVED, Roots, Rule, applies, decider, only_reads
from placet.permissions.spellings import means
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

    A grant never overrules a denial. A rule of the user that asks or denies holds for each spelling of a command, and
    for a command that needs no rule a denial alone holds. A rule may also deny a command line as written; a rule that
    denies everything leaves the decision to each command's own.
    """
    deciders = cache(partial(decider, rules, roots=roots))
    decide = deciders(ask.permission)
    restricting = _restricting_rules(rules, ask.permission, decide)
    judged: list[PatternDecision] = []
    reasons = dict(ask.unvouched)
    for pattern in ask.patterns or ("*",):
        rule = _judging_rule(ask, pattern, decide(pattern), restricting)
        grant = _found_grant(rule, ask.permission, pattern, find_grant)
        if rule.action == "ask" and grant is None and pattern not in reasons:
            rule = _vouching_rule(ask, pattern, rule, restricting) or rule
        reason = reasons.get(pattern, "") if rule.action == "ask" else ""
        judged.append(PatternDecision(ask.permission, pattern, rule, grant, reason))
    for text, words in ask.commands:
        if text not in ask.patterns and (rule := _meant(text, words, restricting)) and rule.action == "deny":
            judged.append(PatternDecision(ask.permission, text, rule))
    for condition in ask.conditions:
        rule = deciders(condition.permission)(condition.pattern)
        judged += _judged_condition(condition, rule, find_grant, only_reads=only_reads(rules))
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


def _restricting_rules(rules: Sequence[Rule], permission: str, decide: Callable[[str], Rule]) -> list[Rule]:
    """Return the rules of the user that ask or deny, the strongest first; no rule that a later rule always overrules.

    A rule that is always overruled does not even decide about its own pattern.
    """
    if permission not in ("bash", "sandbox"):
        return []
    return [
        rule
        for rule in reversed(rules)
        if rule.source != BUILT_IN and rule.action != "allow" and not rule.pattern.startswith(UNPROVED)
        if applies(rule, permission) and decide(rule.pattern) == rule
    ]


def _judging_rule(ask: Ask, pattern: str, rule: Rule, restricting: Sequence[Rule]) -> Rule:
    """Return the rule for the pattern: the rule that matches, or a stricter rule that means the command.

    A rule for everything allows no unproved point beside a rule that restricts commands: the command behind the point
    may be a command that the rule means.
    """
    if pattern.startswith(UNPROVED):
        is_vague = rule.action == "allow" and not rule.pattern.startswith(UNPROVED)
        if is_vague and restricting:
            return Rule(ask.permission, f"{UNPROVED}*", "ask", f"{BUILT_IN}, beside {restricting[0]}")
        return rule
    meant = [found for text, words in ask.commands if text == pattern and (found := _meant(text, words, restricting))]
    stricter = max(meant, key=_strictness, default=rule)
    return stricter if _strictness(stricter) > _strictness(rule) else rule


def _meant(text: str, words: Sequence[str], restricting: Sequence[Rule]) -> Rule | None:
    """Return the strictest rule that means the command and does not match the command's text, or None.

    A rule that matches the text has been compared with the other rules already.
    """
    meant = (rule for rule in restricting if not matches(rule.pattern, text) and means(rule.pattern, words))
    return max(meant, key=_strictness, default=None)


def _strictness(rule: Rule) -> tuple[int, bool]:
    """Return the order of rules: an ask of the user outweighs a built-in ask, which a fact may answer."""
    return STRICTNESS[rule.action], rule.source != BUILT_IN


def _vouching_rule(ask: Ask, pattern: str, rule: Rule, restricting: Sequence[Rule]) -> Rule | None:
    """Return the built-in rule that allows the pattern in place of a question, or None.

    Rules of the user outrank the built-in rule. The command behind an unproved point may be a command that a rule of
    the user asks about or denies.
    """
    if not ask.vouched or (rule.source != BUILT_IN and ask.vouched != "answer"):
        return None
    if ask.vouched != "answer" and pattern.startswith(UNPROVED) and restricting:
        return None
    return Rule(ask.permission, "*", "allow", f"{BUILT_IN}: {_VOUCHERS[ask.vouched]}")


def _judged_condition(
    condition: Condition, rule: Rule, find_grant: FindGrant, *, only_reads: bool
) -> Iterator[PatternDecision]:
    """Yield the judged condition, unless the rule meets a demand that is weaker than an allowance."""
    permission, pattern, reason = condition.permission, condition.pattern, condition.reason
    match condition.demand:
        case "allowed":
            grant = _found_grant(rule, permission, pattern, find_grant)
            yield PatternDecision(permission, pattern, rule, grant, reason)
        case "not denied":
            if rule.action == "deny":
                yield PatternDecision(permission, pattern, rule, reason=reason)
        case "not denied by name" | "not denied to programs":
            holds_by_name = condition.demand == "not denied by name" or only_reads
            if rule.action == "deny" and (rule.pattern != "*" or not holds_by_name):
                yield PatternDecision(permission, pattern, rule, reason=reason)
