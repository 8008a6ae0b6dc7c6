"""How careful a session is, as the user chose for the session: more questions than the rules ask, or fewer.

The choice changes rules in place, so every judgement and explanation sees the result. A denial always stands.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from placet.core.values import replace
from placet.permissions.patterns import matches
from placet.permissions.rules import BUILT_IN, Rule
from placet.permissions.tool_rules import ALLOWED, READING_THE_WEB

Caution = Literal["more", "default", "less"]
"""`more`: each act is asked, also where a rule, a grant or the sandbox would allow the act. `default`: the rules and
the grants decide. `less`: pages and searches of the web are not asked, unless a rule of the user or of an agent asks.
"""
CAUTION_TITLES: dict[Caution, str] = {
    "more": "Ask before every act",
    "default": "Ask where it matters",
    "less": "Ask less",
}
THIS_SESSION = "this session"
"""Source of the rules that a session adds."""
_LOOKS = (*ALLOWED, "external_directory", "plan_enter", "plan_exit")
"""Permissions that by themselves change nothing and send nothing: the session's caution leaves their rules as is."""


def allowances(caution: Caution) -> tuple[Rule, ...]:
    """Return the rules of a less careful session; stronger than the built-in rules, and weaker than all others."""
    if caution != "less":
        return ()
    return tuple(Rule(permission, "*", "allow", f"{THIS_SESSION} asks less") for permission in READING_THE_WEB)


def restricted(rules: Sequence[Rule], caution: Caution) -> tuple[Rule, ...]:
    """Return the rules for the caution, the weakest first; `more` turns each allowance of an act into an ask."""
    if caution != "more":
        return tuple(rules)
    unknown = Rule("*", "*", "ask", f"{THIS_SESSION} asks more", is_always_asked=True)
    return (unknown, *(changed for rule in rules for changed in _always_asked(rule)))


def _always_asked(rule: Rule) -> Iterator[Rule]:
    """Yield the rule as an ask, and after the ask the allowances of looks that a wildcard of the rule covers."""
    if rule.action == "deny" or rule.permission in _LOOKS:
        yield rule
        return
    over = "" if rule.source == BUILT_IN else f", over {rule.place}"
    source = f"{THIS_SESSION} asks more{over}"
    yield replace(rule, action="ask", source=source, line=None, is_always_asked=True)
    for look in _LOOKS:
        if matches(rule.permission, look):
            yield replace(rule, permission=look)
