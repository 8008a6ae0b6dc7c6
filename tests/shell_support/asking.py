"""What the user would be asked about a command line by given rules."""

from collections.abc import Iterable
from pathlib import Path

from placet.permissions.ask import Ask
from placet.permissions.decision import verdict_on
from placet.permissions.rules import Rule, builtin_rules
from placet.project.paths import Workspace
from placet.sessions.asks.explain_asks import questions_of


def asked_about(line: str, directory: Path, rules: Iterable[Rule]) -> list[str]:
    """Return the patterns that the rules, laid over the built-in ones, leave to the user."""
    whole = (*builtin_rules(Path("/nowhere")), *rules)
    verdicts = [verdict_on(ask, whole, (), lambda permission, pattern: None) for ask in asks_about(line, directory)]
    return [one.pattern for verdict in verdicts for one in verdict.judged if one.action != "allow"]


def asks_about(line: str, directory: Path) -> tuple[Ask, ...]:
    """Return what the tool for commands asks before the line runs."""
    return questions_of("bash", line, Workspace((directory,)), lambda permission, pattern: "ask").asks


def allowing(*patterns: str) -> tuple[Rule, ...]:
    """Return rules that allow these commands."""
    return tuple(Rule("bash", pattern, "allow", "the test") for pattern in patterns)
