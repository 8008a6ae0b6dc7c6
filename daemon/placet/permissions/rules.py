"""Permission rules as data: a permission, a pattern, an action. The last match wins; where none matches, we ask.

The grammar is OpenCode's, so that rules written for it hold here; for paths it knows more (patterns.py).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from placet.errors import SettingsError
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
ALLOWED = ("read", "glob", "grep", "list", "lsp", "question", "skill", "task", "todoread", "todowrite")
ASKED = ("edit", "edit_sensitive", "bash", "webfetch", "websearch", "codesearch", "external_directory", "doom_loop")
DENIED = ("plan_enter", "plan_exit", "private_address", "edit_protected")
"""Plans are for the agents that allow them; addresses of this machine and its network for whom the user lets in."""
EDITING = ("apply_patch", "multiedit", "patch", "write")
"""Tools that change files; rules for any of them are rules for `edit`, as in OpenCode."""
PROTECTIONS = frozenset(("edit_protected", "edit_sensitive"))
"""Permissions that only a rule with this very name can allow or ask: `edit: allow` and `*: allow` leave them alone."""

UNPROVED = "unproved: "
"""Before what only the user can vouch for: a pattern no rule for a program matches, and a rule for everything does.

It always stands beside the command that it is a doubt of.
"""

Roots = tuple[tuple[str, ...], ...]
"""For each folder of the workspace the names it goes by: as the user opened it, and what it links to."""

STRICTNESS: dict[Action, int] = {"allow": 0, "ask": 1, "deny": 2}
"""Of several actions for one deed the greatest decides."""


@dataclass(frozen=True, slots=True)
class Rule:
    permission: str
    pattern: str
    action: Action
    source: str
    """Where it is written, in the user's words: a file, a setting, an agent."""
    line: int | None = None
    """1-based, in the file."""
    real_pattern: str = ""
    """The pattern with the links at its beginning followed, when that is another."""

    @property
    def place(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"

    def __str__(self) -> str:
        return f"`{self.permission}: {self.pattern}` -> {self.action} ({self.place})"


def from_config(
    config: object, source: str, lines: KeyLines | None = None, *, under: Sequence[str] = ("permission",)
) -> tuple[Rule, ...]:
    """The rules of a `permission` setting, in the order they are written: an action, or permission -> action, or
    permission -> pattern -> action.

    `lines` says on which line of the source each key stands, and `under` which keys lead to the setting. Raises
    SettingsError for what is no rule, and for a rule that is wrong about its own examples.
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
    """The rules of the older setting `tools`: false denies the tool, and true takes such a denial back.

    In OpenCode true also allows without asking, which is what it does there by default; here the built-in rules
    hold again, those of them that `before` begins with.
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
    """What all sources say: `tools` before `permission`, and of either the source that outweighs the others last.

    Raises SettingsError.
    """
    switched: tuple[Rule, ...] = ()
    for one in written:
        switched += from_tools(one.tools, one.source, one.lines, before=(*builtin, *switched))
    return switched + tuple(rule for one in written for rule in from_config(one.permission, one.source, one.lines))


def permission_named(name: str) -> str:
    """The permission that a tool's name stands for: `edit` for each that changes files, else the name itself."""
    return "edit" if name in EDITING else name


def root_names(roots: Sequence[Path]) -> Roots:
    """The names by which absolute patterns may mean the workspace's folders. Looks at the disk."""
    return tuple(tuple(dict.fromkeys((root.as_posix(), real(root).as_posix()))) for root in roots)


def evaluate(rules: Sequence[Rule], permission: str, pattern: str, roots: Roots = ()) -> Rule:
    """The rule that decides: the last whose permission and pattern both match, else an implicit ask."""
    return decider(rules, permission, roots)(pattern)


def decider(rules: Sequence[Rule], permission: str, roots: Roots = ()) -> Callable[[str], Rule]:
    """`evaluate` of one permission, for the very many patterns that a search has.

    A name relative to a folder of the workspace is held against absolute patterns by its absolute names. Where there
    are several folders and they differ, the strictest decides, as the name does not say which is meant.
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
    """The first of the rules one of whose tests a value passes; flat, as a search asks it of every file."""
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
    """Whether the rule's pattern fits a value as it stands."""
    yield compiled(rule.pattern, as_path=permission in PATHS)
    if rule.real_pattern and permission in PATHS:
        yield compiled(rule.real_pattern, as_path=True)


def _tests_within(rule: Rule, permission: str, names: Sequence[str]) -> Iterator[Fits]:
    """Whether the rule's pattern fits a name relative to the folder that goes by these names."""
    if not _names_a_place(rule, permission):
        yield from _tests(rule, permission)
        return
    for pattern in filter(None, (rule.pattern, rule.real_pattern)):
        for name in names:
            if (fits := compiled_within(pattern, name)) is not None:
                yield fits


def refuses(rules: Sequence[Rule], permission: str) -> bool:
    """Whether the permission is denied whatever the pattern: its last rule of all denies `*`.

    A rule after it that allows a part of the patterns keeps the permission alive; one for doubts allows nothing alone.
    """
    governing = (rule for rule in reversed(rules) if matches(rule.permission, permission))
    last = next((rule for rule in governing if not rule.pattern.startswith(UNPROVED)), None)
    return last is not None and last.action == "deny" and last.pattern == "*"


def builtin_rules(*tool_outputs: Path) -> tuple[Rule, ...]:
    """What holds where the user has set nothing: looking is allowed, but for secrets; whatever acts is asked.

    `tool_outputs` are the directories of whole outputs of tools that the model may look into: its own session's.
    """
    return (
        *(Rule(permission, "*", "allow", BUILT_IN) for permission in ALLOWED),
        Rule("read", "*.env", "ask", BUILT_IN),
        Rule("read", "*.env.*", "ask", BUILT_IN),
        Rule("read", "*.envrc", "ask", BUILT_IN),
        Rule("read", "*.env.example", "allow", BUILT_IN),
        # Where `placet auth` keeps keys, if there is no keyring.
        Rule("read", "*placet/keys.json", "deny", BUILT_IN),
        Rule("read", "*placet/mcp-auth.json", "deny", BUILT_IN),
        *(Rule(permission, "*", "ask", BUILT_IN) for permission in ASKED),
        *(Rule(permission, "*", "deny", BUILT_IN) for permission in DENIED),
        *(Rule("external_directory", f"{one.as_posix()}/*", "allow", BUILT_IN) for one in tool_outputs),
    )


def _rule(name: str, pattern: str, value: Action | WithExamples, source: str, line: int | None) -> Rule:
    expanded = with_home(pattern)
    action = value.action if isinstance(value, WithExamples) else value
    rule = Rule(permission_named(name), expanded, action, source, line, behind_links(expanded))
    if isinstance(value, WithExamples):
        _check_examples(rule, value)
    return rule


def _check_examples(rule: Rule, value: WithExamples) -> None:
    """Raises SettingsError for the first example that the rule's pattern is wrong about."""
    tests = list(_tests(rule, rule.permission))
    for examples, should in ((value.match, True), (value.not_match, False)):
        for example in examples:
            spelled = with_slashes(with_home(example))
            if any(fits(spelled) for fits in tests) is not should:
                raise SettingsError(
                    f"{rule.place}: the rule `{rule.permission}: {rule.pattern}` -> {rule.action} is to match"
                    f" `{example}` and does not. Mend the pattern or the example."
                    if should
                    else f"{rule.place}: the rule `{rule.permission}: {rule.pattern}` -> {rule.action} is not to match"
                    f" `{example}` and does. Mend the pattern or the example."
                )


def _place(source: str, line: int | None) -> str:
    return source if line is None else f"{source}:{line}"


def applies(rule: Rule, permission: str) -> bool:
    """Whether the rule has a say about the permission, for the patterns that match."""
    if permission in PROTECTIONS and rule.action != "deny":
        return rule.permission == permission
    return _governs(rule.permission, permission)


@lru_cache(maxsize=4096)
def _governs(name: str, permission: str) -> bool:
    """`matches` for the few names of permissions."""
    return matches(name, permission)
