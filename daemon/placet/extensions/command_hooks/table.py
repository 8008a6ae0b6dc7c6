"""Table of the command hooks: the form of Claude Code's setting `hooks`, read into one list. Pure."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from msgspec import Struct, field

EVENTS = (
    "PreToolUse",
    "PostToolUse",
    "UserPromptSubmit",
    "Stop",
    "SubagentStop",
    "SessionStart",
    "SessionEnd",
    "PreCompact",
    "Notification",
)
TIMEOUT_SECONDS = 600.0
"""Time limit of a hook without an own limit, as in Claude Code."""
END_SECONDS = 5.0
"""Time limit of a hook for SessionEnd without an own limit: Placet waits for the hook before Placet ends."""

TOOL_EVENTS = ("PreToolUse", "PostToolUse")
"""Events with a tool call, about which a condition can say something."""
_SHELLS = ("bash", "powershell")
_PLAIN = re.compile(r"[\w\-|, ]*")


class HookOwner(Struct, frozen=True):
    """Owner of hooks: the user, a project, or a bundle."""

    folder: Path | None = None
    """Folder of the project that brings the hooks."""
    bundle: str = ""
    """Name of the bundle that brings the hooks."""
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    """Further variables of the hooks' environment."""
    data: Path | None = None
    """Directory in which the hooks of a bundle keep files."""

    @property
    def is_user(self) -> bool:
        return self.folder is None and not self.bundle


class CommandHook(Struct, frozen=True):
    """Command that runs at an event."""

    event: str
    command: str
    source: str
    """Name of the source for the user: the file of the hook."""
    matcher: str = ""
    """Names of tools, or a regular expression; empty: the hook runs at each event of the kind."""
    timeout_seconds: float = TIMEOUT_SECONDS
    is_async: bool = False
    """Whether nothing waits for the hook; such a hook decides nothing."""
    owner: HookOwner = HookOwner()
    arguments: tuple[str, ...] | None = None
    """Arguments of `command`, which is a program then; None: a shell reads the command."""
    shell: str = ""
    """Shell that reads the command, `bash` or `powershell`; empty for the usual shell."""
    condition: str = ""
    """Rule that a tool call must fit, in Claude Code's form."""
    leaves_sandbox: bool = False
    """Whether the user wants the hook to run outside of the sandbox; only a hook of the user's own can leave."""

    @property
    def shown(self) -> str:
        """Return the command with its arguments, for the user."""
        return self.command if self.arguments is None else shlex.join((self.command, *self.arguments))

    def matches(self, names: Iterable[str]) -> bool:
        """Return whether the hook is for one of the names."""
        matcher = self.matcher.strip()
        if matcher in ("", "*"):
            return True
        if _PLAIN.fullmatch(matcher):
            listed = {name.strip() for name in re.split(r"[|,]", matcher)}
            return any(name in listed for name in names)
        expression = re.compile(matcher)
        return any(expression.search(name) for name in names)


def read_hooks(
    values: Mapping[str, Any], source: str, owner: HookOwner, problems: list[str]
) -> tuple[CommandHook, ...]:
    """Return the hooks in the order of the setting. A faulty hook is left out, and added to `problems`."""
    hooks: list[CommandHook] = []
    for event, groups in values.items():
        where = f"{source}: setting `hooks.{event}`"
        if event not in EVENTS:
            problems.append(f"{where}: Placet has no such event; its hooks do not run")
        elif not isinstance(groups, list):
            problems.append(f"{where}: expected a list")
        else:
            for group in cast("list[Any]", groups):
                hooks += _hooks_of_group(event, group, where, source, owner, problems)
    return tuple(hooks)


def _hooks_of_group(
    event: str, group: Any, where: str, source: str, owner: HookOwner, problems: list[str]
) -> Iterator[CommandHook]:
    fields = cast("Mapping[str, Any]", group) if isinstance(group, Mapping) else {}
    matcher, entries = fields.get("matcher") or "", fields.get("hooks")
    if not isinstance(matcher, str) or not isinstance(entries, list):
        problems.append(f"{where}: expected objects with `matcher`, a text, and `hooks`, a list")
        return
    try:
        re.compile(matcher if not _PLAIN.fullmatch(matcher) and matcher != "*" else "")
    except re.error as error:
        problems.append(f"{where}: the matcher `{matcher}` is no regular expression ({error}); its hooks do not run")
        return
    for entry in cast("list[Any]", entries):
        hook = cast("Mapping[str, Any]", entry) if isinstance(entry, Mapping) else {}
        command = hook.get("command")
        if hook.get("type") != "command" or not isinstance(command, str) or not command or "\0" in command:
            problems.append(f"{where}: only hooks of the type `command` with a `command` run")
        elif problem := _problem(event, hook, owner):
            problems.append(f"{where}: `{command}` is left out: {problem}")
        else:
            arguments = hook.get("args")
            yield CommandHook(
                event,
                command,
                source,
                matcher,
                hook.get("timeout") or (END_SECONDS if event == "SessionEnd" else TIMEOUT_SECONDS),
                hook.get("async") is True,
                owner,
                None if arguments is None else tuple(arguments),
                hook.get("shell") or "",
                hook.get("if") or "",
                leaves_sandbox=owner.is_user and hook.get("sandbox") is False,
            )


def _problem(event: str, hook: Mapping[str, Any], owner: HookOwner) -> str:
    """Return the reason why the hook cannot run as written, or an empty text."""
    timeout, arguments, shell, condition = (hook.get(name) for name in ("timeout", "args", "shell", "if"))
    if timeout is not None and not _is_time(timeout):
        return "`timeout` is a number of seconds above 0"
    words = cast("list[Any]", arguments) if isinstance(arguments, list) else [None]
    if arguments is not None and not all(isinstance(word, str) and "\0" not in word for word in words):
        return "`args` is a list of texts"
    if shell is not None and (shell not in _SHELLS or arguments is not None):
        return "`shell` is `bash` or `powershell`, and goes with no `args`"
    sandbox = hook.get("sandbox", True)
    if not isinstance(sandbox, bool):
        return "`sandbox` is true or false"
    if not sandbox and not owner.is_user:
        return "only a hook in your own settings can have `sandbox: false`"
    if condition is None:
        return ""
    if event not in TOOL_EVENTS:
        return f"`if` is about tool calls, and there is none at {event}"
    from placet.extensions.command_hooks.condition import read_condition  # Few hooks have a condition.

    return "" if read_condition(condition) is not None else "`if` is a rule such as `Bash(git *)`"


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 86_400
