"""Rules, grants and explanations as front doors show them and send them."""

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
    """Where it is written: a file, the environment, an agent, or that it is built in."""
    line: int | None = None
    """1-based, in the file."""
    warning: str | None = None
    """Why it does nothing, and what to do about it."""


class GrantInfo(Value):
    """What the user allowed with "always"."""

    id: str
    """To revoke it by."""
    permission: str
    pattern: str
    scope: Scope
    given: str
    """When, in UTC."""
    source: str
    """The file it is in, or that it is only remembered."""


class PermissionList(Value):
    rules: tuple[RuleInfo, ...]
    """The weakest first: the last that matches decides."""
    grants: tuple[GrantInfo, ...]
    """The oldest first."""
    problem: str | None = None
    """Why the file of grants is not used."""


class JudgedInfo(Value):
    """One thing that a call would ask for."""

    permission: str
    pattern: str
    action: Action
    rule: RuleInfo
    """The one that decides."""
    grant: GrantInfo | None = None
    """What turns the rule's ask into an allowance."""


class ExplanationInfo(Value):
    outcome: Action
    """Denied if anything is, else asked if anything is."""
    judged: tuple[JudgedInfo, ...]
    """Places outside, the commands of a line, the names of a file; in the order in which they would be asked."""
    unasked: tuple[str, ...] = ()
    """Commands of a line that do nothing by themselves, and need no rule."""
    not_offered: str | None = None
    """Why the model would not even see the tool."""


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
    judged = (
        JudgedInfo(
            permission=one.permission,
            pattern=one.pattern,
            action=one.action,
            rule=rule_info(one.rule),
            grant=None if one.grant is None else grant_info(one.grant),
        )
        for one in explanation.judged
    )
    return ExplanationInfo(
        outcome=explanation.outcome,
        judged=tuple(judged),
        unasked=explanation.unasked,
        not_offered=not_offered or None,
    )
