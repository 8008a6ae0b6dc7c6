"""Rules, grants and explanations in the form for front ends and the wire."""

from collections.abc import Mapping, Sequence

from placet.core.messages import Value
from placet.core.ports import Scope
from placet.permissions.explain import Explanation
from placet.permissions.grants import Grant
from placet.permissions.rules import Rule
from placet.settings import Action


class RuleInfo(Value):
    permission: str
    pattern: str
    action: Action
    source: str
    """Source of the rule: a file, the environment, an agent, or `built in`."""
    line: int | None = None
    """1-based, in the file."""
    warning: str | None = None
    """Reason for which the rule has no effect, with advice."""


class GrantInfo(Value):
    """Grant that the user gave with "always"."""

    id: str
    """Id for revoking the grant."""
    permission: str
    pattern: str
    scope: Scope
    given: str
    """When, in UTC."""
    source: str
    """File of the grant, or a note about a grant in memory only."""


class PermissionList(Value):
    rules: tuple[RuleInfo, ...]
    """Rules from the weakest to the strongest: the last matching rule decides."""
    grants: tuple[GrantInfo, ...]
    """The oldest first."""
    problem: str | None = None
    """Reason for which the file of grants is not used."""


class JudgedInfo(Value):
    """Part of a call with a decision of its own."""

    permission: str
    pattern: str
    action: Action
    rule: RuleInfo
    """Rule that decides."""
    grant: GrantInfo | None = None
    """Grant by which an asking rule allows."""


class ContainedInfo(Value):
    """Decision about a command line that runs inside the sandbox, or asks to leave the sandbox."""

    outcome: Action
    judged: tuple[JudgedInfo, ...]
    refusal: str | None = None
    """Reason why the command line is refused, whatever the rules allow."""


class ExplanationInfo(Value):
    outcome: Action
    """Denied if anything is, else asked if anything is."""
    judged: tuple[JudgedInfo, ...]
    """Decisions about the parts of the call in the order of asking: places outside the project, commands of a command
    line, names of a file.
    """
    unasked: tuple[str, ...] = ()
    """Commands of a command line without an effect of their own, and without need for a rule."""
    not_offered: str | None = None
    """Reason for which the model would not be offered the tool."""
    contained: ContainedInfo | None = None
    """Decision about a command line inside the sandbox; absent for other calls, and where the sandbox is off."""


def rule_info(rule: Rule, warning: str = "") -> RuleInfo:
    return RuleInfo(
        permission=rule.permission,
        pattern=rule.pattern,
        action=rule.action,
        source=rule.source,
        line=rule.line,
        warning=warning or None,
    )


def grant_info(grant: Grant) -> GrantInfo:
    return GrantInfo(
        id=grant.id,
        permission=grant.permission,
        pattern=grant.pattern,
        scope=grant.scope,
        given=grant.given,
        source=grant.place,
    )


def permission_list(
    rules: Sequence[Rule], warnings: Mapping[Rule, str], grants: Sequence[Grant], problem: str
) -> PermissionList:
    return PermissionList(
        rules=tuple(rule_info(rule, warnings.get(rule, "")) for rule in rules),
        grants=tuple(map(grant_info, grants)),
        problem=problem or None,
    )


def explanation_info(explanation: Explanation, not_offered: str) -> ExplanationInfo:
    inside = explanation.contained
    contained = (
        None
        if inside is None
        else ContainedInfo(outcome=inside.outcome, judged=_judged_info(inside), refusal=inside.refusal or None)
    )
    return ExplanationInfo(
        outcome=explanation.outcome,
        judged=_judged_info(explanation),
        unasked=explanation.unasked,
        not_offered=not_offered or None,
        contained=contained,
    )


def _judged_info(explanation: Explanation) -> tuple[JudgedInfo, ...]:
    return tuple(
        JudgedInfo(
            permission=decision.permission,
            pattern=decision.pattern,
            action=decision.action,
            rule=rule_info(decision.rule),
            grant=None if decision.grant is None else grant_info(decision.grant),
        )
        for decision in explanation.judged
    )


def permission_lines(rules: Sequence[Rule], idle: Mapping[Rule, str], grants: Sequence[Grant]) -> list[str]:
    """Return the rules and the grants, each with the place; `idle` holds the warning of each rule without effect."""
    lines = ["Rules (the last matching rule decides):"]
    for rule in rules:
        lines.append(f"  {rule.action:5}  {rule.permission}: {rule.pattern}  ({rule.place})")
        lines += [f"         ! {idle[rule]}"] if rule in idle else []
    lines += ["", "Grants (a grant allows a call that a rule would ask about):" if grants else "No grants."]
    lines += [f"  {grant.id}  {grant.permission}: {grant.pattern}  ({grant.scope}, {grant.place})" for grant in grants]
    return lines
