"""Explanation why a call would be allowed, asked or denied: the gate's findings in words, without the call."""

from collections.abc import Sequence
from dataclasses import dataclass

from placet.permissions.ask import Ask
from placet.permissions.decision import FindGrant, PatternDecision, verdict_on
from placet.permissions.rules import Roots, Rule
from placet.settings import Action


@dataclass(frozen=True, slots=True)
class Explanation:
    outcome: Action
    """Outcome for the whole call: "deny" if any verdict denies, else "ask" if any verdict asks."""
    judged: tuple[PatternDecision, ...]
    """Judgements on each pattern, in order: places outside, the commands of a line, the names of a file."""
    unasked: tuple[str, ...] = ()
    """Commands of a line without need of a rule, because the commands do nothing by themselves."""
    refusal: str = ""
    """Reason why the call is refused, whatever the rules allow."""
    contained: "Explanation | None" = None
    """Explanation for a command line inside the sandbox; None for other calls, and where the sandbox is off."""


def explain(
    asks: Sequence[Ask],
    rules: Sequence[Rule],
    roots: Roots,
    find_grant: FindGrant,
    unasked: tuple[str, ...] = (),
    *,
    refusal: str = "",
    contained: Explanation | None = None,
) -> Explanation:
    """Return the explanation of a call with these asks; a call without asks is allowed."""
    verdicts = [verdict_on(ask, rules, roots, find_grant) for ask in asks]
    actions = {verdict.action for verdict in verdicts}
    outcome: Action = "deny" if refusal or "deny" in actions else "ask" if "ask" in actions else "allow"
    judged = tuple(judgement for verdict in verdicts for judgement in verdict.judged)
    return Explanation(outcome, judged, unasked, refusal, contained)
