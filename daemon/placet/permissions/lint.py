"""Rules without effect: a pattern that can match nothing, or a rule always overruled by a later rule."""

from collections.abc import Sequence

from placet.permissions.caution import THIS_SESSION
from placet.permissions.patterns import PATHS, is_absolute, with_slashes
from placet.permissions.rules import BUILT_IN, Rule, applies


def warnings(rules: Sequence[Rule]) -> dict[Rule, str]:
    """Return the user's rules that do nothing, each with the reason and a remedy. The weakest rule is the first."""
    problems: dict[Rule, str] = {}
    for index, rule in enumerate(rules):
        if rule.source == BUILT_IN or rule.source.startswith(THIS_SESSION):
            continue
        if problem := _never_matches(rule) or _always_overruled(rule, rules[index + 1 :]):
            problems[rule] = problem
    return problems


def _never_matches(rule: Rule) -> str:
    pattern = with_slashes(rule.pattern)
    if rule.permission == "bash" and pattern != " ".join(pattern.split()):
        return "matches nothing: commands are compared with one space between their words, and none around them"
    if rule.permission not in PATHS:
        return ""
    if "/../" in f"/{pattern}/":
        return "matches nothing: paths are compared without `..`; write where it leads"
    if rule.permission == "external_directory":
        if not is_absolute(pattern) and pattern[:1] not in ("*", "?"):
            return "matches nothing: directories outside are absolute; begin it with `/` or `~/`"
        if pattern[-1:] not in ("*", "?"):
            return f"matches nothing: what is asked ends in `/*`; write `{rule.pattern.rstrip('/')}/*`"
    elif pattern.endswith("/"):
        return f"matches nothing: a path does not end in `/`; write `{rule.pattern}*`"
    return ""


def _always_overruled(rule: Rule, later: Sequence[Rule]) -> str:
    for other in later:
        covers = other.pattern == "*" and applies(other, rule.permission)
        if covers and (other.action != rule.action or other.source == rule.source):
            return f"never decides: {other} comes later and matches everything; write it before this rule"
    return ""
