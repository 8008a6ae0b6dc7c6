"""Why a call would be allowed, asked or denied: what the gate would find, said instead of done."""

from collections.abc import Sequence
from dataclasses import dataclass

from placet.permissions.ask import Ask
from placet.permissions.rules import Roots, Rule
from placet.permissions.verdict import FindGrant, Judged, verdict_on
from placet.settings import Action


@dataclass(frozen=True, slots=True)
class Explanation:
    outcome: Action
    """Of the whole call: denied if anything is, else asked if anything is."""
    judged: tuple[Judged, ...]
    """Each thing that is asked, in order: places outside, the commands of a line, the names of a file."""
    unasked: tuple[str, ...] = ()
    """Commands of a line that need no rule, as they do nothing by themselves."""


def explain(
    asks: Sequence[Ask], rules: Sequence[Rule], roots: Roots, find_grant: FindGrant, unasked: tuple[str, ...] = ()
) -> Explanation:
    """Of a call that would ask `asks`; one that asks nothing is allowed."""
    verdicts = [verdict_on(ask, rules, roots, find_grant) for ask in asks]
    actions = {verdict.action for verdict in verdicts}
    outcome: Action = "deny" if "deny" in actions else "ask" if "ask" in actions else "allow"
    return Explanation(outcome, tuple(one for verdict in verdicts for one in verdict.judged), unasked)
