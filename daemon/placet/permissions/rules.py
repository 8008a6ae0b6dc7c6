"""Permission rules as data: a permission, a pattern, an action. The last match wins; where none matches, we ask.

The grammar is OpenCode's, so that rules written for it hold here.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from placet.settings import Action

Config = Action | Mapping[str, Action | Mapping[str, Action]]

BUILT_IN = "built in"
ALLOWED = ("read", "glob", "grep", "list", "lsp", "question", "skill", "task", "todoread", "todowrite")
ASKED = ("edit", "bash", "webfetch", "websearch", "codesearch", "external_directory", "doom_loop")
DENIED = ("plan_enter", "plan_exit", "private_address")
"""Plans are for the agents that allow them; addresses of this machine and its network for whom the user lets in."""
EDITING = ("apply_patch", "multiedit", "patch", "write")
"""Tools that change files; rules for any of them are rules for `edit`, as in OpenCode."""


@dataclass(frozen=True, slots=True)
class Rule:
    permission: str
    pattern: str
    action: Action
    source: str
    """Where it is written, in the user's words: a file, a setting, an agent."""

    def __str__(self) -> str:
        return f"`{self.permission}: {self.pattern}` -> {self.action} ({self.source})"


def from_config(config: Config, source: str) -> tuple[Rule, ...]:
    """The rules of a `permission` setting, in the order they are written: an action, or permission -> action, or
    permission -> pattern -> action."""
    if isinstance(config, str):
        return (Rule("*", "*", config, source),)
    rules: list[Rule] = []
    for permission, entry in config.items():
        patterns: Mapping[str, Action] = {"*": entry} if isinstance(entry, str) else entry
        name = permission_named(permission)
        rules += [Rule(name, _with_home(pattern), action, source) for pattern, action in patterns.items()]
    return tuple(rules)


def permission_named(name: str) -> str:
    """The permission that a tool's name stands for: `edit` for each that changes files, else the name itself."""
    return "edit" if name in EDITING else name


def evaluate(rules: Sequence[Rule], permission: str, pattern: str) -> Rule:
    """The rule that decides: the last whose permission and pattern both match, else an implicit ask."""
    return decider(rules, permission)(pattern)


def decider(rules: Sequence[Rule], permission: str) -> Callable[[str], Rule]:
    """`evaluate` of one permission, for the very many patterns that a search has."""
    governing = [
        (_compiled(rule.pattern).fullmatch, rule) for rule in reversed(rules) if _governs(rule.permission, permission)
    ]

    def decide(pattern: str) -> Rule:
        value = pattern.replace("\\", "/")
        for fits, rule in governing:
            if fits(value):
                return rule
        return Rule(permission, pattern, "ask", "no rule matches")

    return decide


def refuses(rules: Sequence[Rule], permission: str) -> bool:
    """Whether the permission is denied whatever the pattern: its last rule of all denies `*`.

    A rule after it that allows a part of the patterns keeps the permission alive.
    """
    last = next((rule for rule in reversed(rules) if matches(rule.permission, permission)), None)
    return last is not None and last.action == "deny" and last.pattern == "*"


def matches(pattern: str, value: str) -> bool:
    r"""Whether the whole value fits: `*` is any text, also `/`; `?` is one character; all else is literal.

    `\` counts as `/`. A pattern that ends in ` *` fits without arguments too: `git *` matches `git`.
    Case counts, but on Windows.
    """
    return _compiled(pattern).fullmatch(value.replace("\\", "/")) is not None


def builtin_rules(tool_output: Path) -> tuple[Rule, ...]:
    """What holds where the user has set nothing: looking is allowed, but for secrets; whatever acts is asked.

    `tool_output` is the directory where whole outputs of tools are kept, which the model may look into.
    """
    return (
        *(Rule(permission, "*", "allow", BUILT_IN) for permission in ALLOWED),
        Rule("read", "*.env", "ask", BUILT_IN),
        Rule("read", "*.env.*", "ask", BUILT_IN),
        Rule("read", "*.env.example", "allow", BUILT_IN),
        # Where `placet auth` keeps keys, if there is no keyring.
        Rule("read", "*placet/keys.json", "deny", BUILT_IN),
        *(Rule(permission, "*", "ask", BUILT_IN) for permission in ASKED),
        *(Rule(permission, "*", "deny", BUILT_IN) for permission in DENIED),
        Rule("external_directory", f"{tool_output.as_posix()}/*", "allow", BUILT_IN),
    )


@lru_cache(maxsize=4096)
def _governs(name: str, permission: str) -> bool:
    """`matches` for the few names of permissions."""
    return matches(name, permission)


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    pattern = pattern.replace("\\", "/")
    may_lack_arguments = pattern.endswith(" *")
    body = pattern[:-2] if may_lack_arguments else pattern
    wildcards = {"*": ".*", "?": "."}
    expression = "".join(wildcards.get(character) or re.escape(character) for character in re.sub(r"\*+", "*", body))
    if may_lack_arguments:
        expression += "(?: .*)?"
    return re.compile(expression, re.DOTALL | (re.IGNORECASE if os.name == "nt" else re.NOFLAG))


def _with_home(pattern: str) -> str:
    """`~` and `$HOME` at the start stand for the user's home."""
    for name in ("~", "$HOME"):
        rest = pattern.removeprefix(name)
        if rest != pattern and (not rest or rest[0] in "/\\"):
            return Path.home().as_posix() + rest
    return pattern
