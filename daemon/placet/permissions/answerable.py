"""Questions that somebody other than the user may answer: the judge, or a hook of the user."""

from placet.permissions.ask import Ask, Caller
from placet.permissions.decision import verdict_on
from placet.permissions.rules import BUILT_IN
from placet.permissions.ungranted import reason_not_granted

NEVER_FOR_OTHERS = frozenset(
    ("doom_loop", "edit_protected", "edit_sensitive", "plan_enter", "plan_exit", "private_address", "sandbox")
)
"""Permissions that only a rule or a person allows."""


def only_built_in_rules_ask(ask: Ask, caller: Caller) -> bool:
    """Return whether no rule of the user asks, and nothing needs the user himself."""
    if ask.permission in NEVER_FOR_OTHERS or ask.unvouched:
        return False
    if any(reason_not_granted(ask.permission, pattern) for pattern in ask.patterns):
        return False
    verdict = verdict_on(ask, caller.rules, caller.roots, lambda _permission, _pattern: None)
    asking = [decision for decision in verdict.judged if decision.action == "ask"]
    return verdict.action == "ask" and all(
        decision.rule.source == BUILT_IN and decision.permission not in NEVER_FOR_OTHERS for decision in asking
    )
