"""The setting `permission` in its written forms, and the permissions of each source of settings."""

from collections.abc import Mapping, Sequence
from typing import Literal, cast

from msgspec import Struct, field

from placet.settings.lines import KeyLines

Action = Literal["allow", "ask", "deny"]

_ACTIONS: dict[object, Action] = {"allow": "allow", "ask": "ask", "deny": "deny"}
_EXAMPLES = ("match", "not_match", "notMatch")


class WithExamples(Struct, frozen=True):
    """Action of a rule, with examples that the pattern must match or must not match; the examples are checked when the
    rules are made.
    """

    action: Action
    match: tuple[str, ...] = ()
    not_match: tuple[str, ...] = ()


Patterns = Mapping[str, Action | WithExamples]
PermissionSetting = Action | Mapping[str, Action | Patterns]
"""An action for everything; or permission -> action; or permission -> pattern -> action, with examples or without."""


class WrittenPermissions(Struct, frozen=True):
    """Permissions in a source of settings."""

    source: str
    """Name of the source for the user: a file, the environment, …"""
    permission: PermissionSetting = field(default_factory=dict[str, Action | Patterns])
    tools: Mapping[str, bool] = field(default_factory=dict[str, bool])
    """Older form: a tool with the value false is denied, before the rules of `permission`."""
    lines: KeyLines = field(default_factory=dict[tuple[str, ...], int])
    """Line of each key, for a file."""


class WrongPermission(ValueError):
    """The written value is no permission; `path` holds the keys that lead to the value."""

    def __init__(self, path: Sequence[str], problem: str) -> None:
        super().__init__(f"`{'.'.join(path)}`: {problem}" if path else problem)
        self.path = tuple(path)
        self.problem = problem


def read_permission(raw: object) -> PermissionSetting:
    """Return the setting, read from JSON or YAML. Raises WrongPermission."""
    if isinstance(raw, str):
        return _action(raw, ())
    if not isinstance(raw, Mapping):
        raise WrongPermission((), "expected an action (allow, ask or deny), or an action for each permission")
    return {str(name): _entry(entry, str(name)) for name, entry in cast("Mapping[object, object]", raw).items()}


def _entry(raw: object, name: str) -> Action | Patterns:
    if not isinstance(raw, Mapping):
        return _action(raw, (name,))
    patterns = cast("Mapping[object, object]", raw)
    return {str(pattern): _rule(rule, (name, str(pattern))) for pattern, rule in patterns.items()}


def _rule(raw: object, path: tuple[str, ...]) -> Action | WithExamples:
    if isinstance(raw, WithExamples):
        return raw
    if not isinstance(raw, Mapping):
        return _action(raw, path)
    fields = {str(name): value for name, value in cast("Mapping[object, object]", raw).items()}
    unknown = [name for name in fields if name != "action" and name not in _EXAMPLES]
    if unknown or "action" not in fields:
        raise WrongPermission(path, "a rule with examples needs an `action`; `match` and `not_match` are optional")
    examples = {name: _texts(fields.get(name, ()), (*path, name)) for name in _EXAMPLES}
    action = _action(fields["action"], (*path, "action"))
    return WithExamples(action, examples["match"], examples["not_match"] + examples["notMatch"])


def _action(raw: object, path: tuple[str, ...]) -> Action:
    if not isinstance(raw, str) or raw not in _ACTIONS:
        raise WrongPermission(path, f"expected allow, ask or deny, and found {raw!r}")
    return _ACTIONS[raw]


def _texts(raw: object, path: tuple[str, ...]) -> tuple[str, ...]:
    texts = cast("Sequence[object]", raw) if isinstance(raw, list | tuple) else None
    if texts is None or not all(isinstance(text, str) for text in texts):
        raise WrongPermission(path, "expected a list of examples, each a text")
    return tuple(str(text) for text in texts)
