"""Permission rules as data: a permission, a pattern, an action. The last match wins; without a match we ask.

The grammar is OpenCode's, so that rules written for OpenCode hold here; the grammar knows more for paths (patterns.py).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path

from msgspec import Struct

from placet.core.errors import SettingsError
from placet.permissions import tool_rules
from placet.permissions.patterns import (
    PATHS,
    Fits,
    behind_links,
    compiled,
    compiled_within,
    is_absolute,
    matches,
    with_home,
    with_slashes,
)
from placet.permissions.tool_rules import ALLOWED, EDITING
from placet.project.paths import real
from placet.settings import Action
from placet.settings.lines import KeyLines
from placet.settings.permission import (
    PermissionSetting,
    WithExamples,
    WrittenPermissions,
    WrongPermission,
    read_permission,
)

Config = PermissionSetting

BUILT_IN = "built in"
ASKED = (*tool_rules.ASKED, "edit_sensitive", "sandbox", "external_directory", "doom_loop")
DENIED = (*tool_rules.DENIED, "private_address", "edit_protected")
"""Permissions denied by default. An agent may allow plans; the user may allow addresses of this machine and its
network."""
PROTECTIONS = frozenset(("edit_protected", "edit_sensitive"))
"""Permissions that a write to a protected file needs besides `edit`."""
BY_NAME = PROTECTIONS | {"sandbox"}
"""Permissions that only a rule with this very name can allow or ask: `edit: allow`, `bash: allow` and `*: allow` have
no effect here."""

UNPROVED = "unproved: "
"""Prefix of a doubt that only the user can settle: a rule for a program never matches, a rule for everything does.

The doubt always stands beside the doubted command.
"""
MAY_CHANGE = f"{UNPROVED}it may change files"
"""Pattern asked about for an agent that only reads, beside a command not known to only read. A rule sets the limits."""

Roots = tuple[tuple[str, ...], ...]
"""Names of each folder of the workspace: the name opened by the user, and the target of any links in this name."""

STRICTNESS: dict[Action, int] = {"allow": 0, "ask": 1, "deny": 2}
"""Order of the actions; among several actions for the same call the greatest decides."""


class Rule(Struct, frozen=True):
    permission: str
    pattern: str
    action: Action
    source: str
    """Place where the rule is written, in the user's words: a file, a setting, an agent."""
    line: int | None = None
    """Number of the line in the file, from 1."""
    real_pattern: str = ""
    """Pattern with the links at the pattern's beginning followed; empty when nothing changes."""
    is_always_asked: bool = False
    """Whether only the user's answer to each question allows: no grant holds, and none is offered."""

    @property
    def place(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"

    def __str__(self) -> str:
        return f"`{self.permission}: {self.pattern}` -> {self.action} ({self.place})"


def from_config(
    config: object, source: str, lines: KeyLines | None = None, *, under: Sequence[str] = ("permission",)
) -> tuple[Rule, ...]:
    """Return the rules of a `permission` setting in written order.

    The setting is an action, or permission -> action, or permission -> pattern -> action. `lines` gives the line of
    each key in the source, and `under` the keys that lead to the setting. Raises SettingsError for an invalid rule, and
    for a rule that is wrong about its own examples.
    """
    lines, keys = lines or {}, tuple(under)
    try:
        setting = read_permission(config)
    except WrongPermission as wrong:
        line = lines.get((*keys, *wrong.path))
        raise SettingsError(f"{_place(source, line)}: {'.'.join((*keys, *wrong.path))}: {wrong.problem}") from wrong
    if isinstance(setting, str):
        return (Rule("*", "*", setting, source, lines.get(keys)),)
    rules: list[Rule] = []
    for name, entry in setting.items():
        if isinstance(entry, str):
            rules.append(Rule(permission_named(name), "*", entry, source, lines.get((*keys, name))))
        else:
            for pattern, action in entry.items():
                rules.append(_rule(name, pattern, action, source, lines.get((*keys, name, pattern))))
    return tuple(rules)


def from_tools(
    tools: Mapping[str, bool], source: str, lines: KeyLines | None = None, *, before: Sequence[Rule] = ()
) -> tuple[Rule, ...]:
    """Return the rules of the older setting `tools`: false denies the tool, and true takes such a denial back.

    In OpenCode true also allows without asking, which is OpenCode's default; here the built-in rules at the beginning
    of `before` hold again.
    """
    rules: list[Rule] = []
    for name, is_on in tools.items():
        permission = "edit" if name in ("patch", "write") else name
        line = (lines or {}).get(("tools", name))
        if not is_on:
            rules.append(Rule(permission, "*", "deny", source, line))
        elif refuses((*before, *rules), permission):
            rules.append(Rule(permission, "*", "ask", source, line))
            rules += [rule for rule in before if rule.source == BUILT_IN and matches(permission, rule.permission)]
    return tuple(rules)


def from_settings(written: Sequence[WrittenPermissions], builtin: Sequence[Rule]) -> tuple[Rule, ...]:
    """Return the rules of all sources: `tools` before `permission`, and in each the outweighing source last.

    Raises SettingsError.
    """
    switched: tuple[Rule, ...] = ()
    for permissions in written:
        switched += from_tools(permissions.tools, permissions.source, permissions.lines, before=(*builtin, *switched))
    return switched + tuple(
        rule
        for permissions in written
        for rule in from_config(permissions.permission, permissions.source, permissions.lines)
    )


def permission_named(name: str) -> str:
    """Return the permission for a tool's name: `edit` for each tool that changes files, else the name itself."""
    return "edit" if name in EDITING else name


def root_names(roots: Sequence[Path]) -> Roots:
    """Return the names by which absolute patterns may mean the workspace's folders. Looks at the disk."""
    return tuple(tuple(dict.fromkeys((root.as_posix(), real(root).as_posix()))) for root in roots)


def evaluate(rules: Sequence[Rule], permission: str, pattern: str, roots: Roots = ()) -> Rule:
    """Return the deciding rule: the last rule with a matching permission and pattern, else an implicit ask."""
    return decider(rules, permission, roots)(pattern)


def decider(rules: Sequence[Rule], permission: str, roots: Roots = ()) -> Callable[[str], Rule]:
    """Return `evaluate` for a single permission, for the very many patterns of a search.

    A name relative to a folder of the workspace is compared with absolute patterns by its absolute names. If the
    decisions for several folders differ, the strictest decides, because the name does not say which folder is meant.
    """
    governing = [rule for rule in reversed(rules) if applies(rule, permission)]
    by_names = _decide_by(governing, partial(_tests, permission=permission), permission)
    if not roots or not any(_names_a_place(rule, permission) for rule in governing):
        return by_names
    by_root = [
        _decide_by(governing, partial(_tests_within, permission=permission, names=names), permission) for names in roots
    ]

    def decide(pattern: str) -> Rule:
        if is_absolute(with_slashes(pattern)):
            return by_names(pattern)
        if len(by_root) == 1:
            return by_root[0](pattern)
        return max((within(pattern) for within in by_root), key=lambda rule: STRICTNESS[rule.action])

    return decide


def _decide_by(
    governing: Sequence[Rule], tests_of: Callable[[Rule], Iterable[Fits]], permission: str
) -> Callable[[str], Rule]:
    """Return the function that finds the first rule with a passed test; flat, as a search makes a call per file."""
    tests = [(fits, rule) for rule in governing for fits in tests_of(rule)]

    def decide(pattern: str) -> Rule:
        value = pattern.replace("\\", "/")
        for fits, rule in tests:
            if fits(value):
                return rule
        return Rule(permission, pattern, "ask", "no rule matches")

    return decide


def _names_a_place(rule: Rule, permission: str) -> bool:
    return permission in PATHS and is_absolute(with_slashes(rule.pattern))


def _tests(rule: Rule, permission: str) -> Iterator[Fits]:
    """Yield the tests whether the rule's pattern fits a value as written."""
    yield compiled(rule.pattern, as_path=permission in PATHS)
    if rule.real_pattern and permission in PATHS:
        yield compiled(rule.real_pattern, as_path=True)


def _tests_within(rule: Rule, permission: str, names: Sequence[str]) -> Iterator[Fits]:
    """Yield the tests whether the rule's pattern fits a name relative to the folder with these names."""
    if not _names_a_place(rule, permission):
        yield from _tests(rule, permission)
        return
    for pattern in filter(None, (rule.pattern, rule.real_pattern)):
        for name in names:
            if (fits := compiled_within(pattern, name)) is not None:
                yield fits


def refuses(rules: Sequence[Rule], permission: str) -> bool:
    """Return whether the permission is denied for every pattern: the last rule denies `*`.

    A later rule that allows some of the patterns keeps the permission alive; a rule for doubts allows nothing alone.
    """
    governing = (rule for rule in reversed(rules) if _governs(rule.permission, permission))
    last = next((rule for rule in governing if not rule.pattern.startswith(UNPROVED)), None)
    return last is not None and last.action == "deny" and last.pattern == "*"


def builtin_rules(*own_directories: Path) -> tuple[Rule, ...]:
    """Return the default rules: looking is allowed, except at secrets; every acting tool is asked.

    `own_directories` are open to the model: the whole outputs of tools and the temporary files of the model's session.
    """
    return (
        *(Rule(permission, "*", "allow", BUILT_IN) for permission in ALLOWED),
        Rule("read", "*.env", "ask", BUILT_IN),
        Rule("read", "*.env.*", "ask", BUILT_IN),
        Rule("read", "*.envrc", "ask", BUILT_IN),
        Rule("read", "*.env.example", "allow", BUILT_IN),
        # File of the keys of `placet auth`, where no keyring exists.
        Rule("read", "*placet/keys.json", "deny", BUILT_IN),
        Rule("read", "*placet/mcp-auth.json", "deny", BUILT_IN),
        *(Rule(permission, "*", "ask", BUILT_IN) for permission in ASKED),
        *(Rule(permission, "*", "deny", BUILT_IN) for permission in DENIED),
        *(Rule("external_directory", f"{place.as_posix()}/*", "allow", BUILT_IN) for place in own_directories),
    )


def _rule(name: str, pattern: str, value: Action | WithExamples, source: str, line: int | None) -> Rule:
    expanded = _expanded(name, pattern)
    action = value.action if isinstance(value, WithExamples) else value
    rule = Rule(permission_named(name), expanded, action, source, line, behind_links(expanded))
    if isinstance(value, WithExamples):
        _check_examples(rule, value)
    return rule


def _expanded(permission: str, pattern: str) -> str:
    """Return the pattern with the user's home; a need of the permission `sandbox` names a path behind a verb."""
    verb, space, path = pattern.partition(" ")
    if permission == "sandbox" and verb == "write":
        return f"{verb}{space}{with_home(path)}"
    return with_home(pattern)


def _check_examples(rule: Rule, value: WithExamples) -> None:
    """Check the rule's examples. Raises SettingsError for the first example that the rule's pattern is wrong about."""
    tests = list(_tests(rule, rule.permission))
    for examples, should in ((value.match, True), (value.not_match, False)):
        for example in examples:
            spelled = with_slashes(with_home(example))
            if any(fits(spelled) for fits in tests) is not should:
                raise SettingsError(
                    f"{rule.place}: the rule `{rule.permission}: {rule.pattern}` -> {rule.action} must match"
                    f" `{example}` and does not. Correct the pattern or the example."
                    if should
                    else f"{rule.place}: the rule `{rule.permission}: {rule.pattern}` -> {rule.action} must not match"
                    f" `{example}` and does. Correct the pattern or the example."
                )


def _place(source: str, line: int | None) -> str:
    return source if line is None else f"{source}:{line}"


def applies(rule: Rule, permission: str) -> bool:
    """Return whether the rule decides about the permission, for matching patterns."""
    if permission in BY_NAME and rule.action != "deny":
        return rule.permission == permission
    return _governs(rule.permission, permission)


@lru_cache(maxsize=4096)
def _governs(name: str, permission: str) -> bool:
    """Return `matches` for the few names of permissions, cached."""
    return matches(name, permission)


def only_reads(rules: Sequence[Rule]) -> bool:
    """Return whether the rules bind an agent that changes nothing, so that each command that might is asked about."""
    return any(rule.permission == "bash" and rule.pattern == MAY_CHANGE for rule in rules)
