"""Condition `if` of a hook: a permission rule in Claude Code's form, such as `Bash(git push *)` or `Edit(src/**)`."""

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from msgspec import Struct

from placet.core.messages import JsonObject
from placet.permissions.patterns import matches
from placet.permissions.shell.analyzer import analyse
from placet.project.path_patterns import fits_any
from placet.project.paths import user_home

_RULE = re.compile(r"([A-Za-z_][\w:*-]*)(?:\((.*)\))?", re.DOTALL)
_PATHS = ("file_path", "path")
_ASSIGNMENTS = re.compile(r"^(?:[A-Za-z_]\w*=\S*\s+)+")


class Condition(Struct, frozen=True):
    """Calls for which a hook runs."""

    tool: str
    """Name of the tool; `*` is any text."""
    pattern: str = ""
    """Pattern for the command, the file or the host of the call; empty: every call of the tool."""

    def holds(self, names: Iterable[str], arguments: JsonObject, directory: Path) -> bool:
        """Return whether the condition holds for a call with the arguments in Claude Code's names.

        The condition also holds for a call that cannot be judged, as a hook is often a guard.
        """
        if not any(matches(self.tool, name) for name in names):
            return False
        if self.pattern in ("", "*"):
            return True
        if isinstance(command := arguments.get("command"), str):
            return self._fits_command(command, directory)
        path = next((path for key in _PATHS if isinstance(path := arguments.get(key), str)), None)
        if path is not None:
            return self._fits_path(path, directory)
        if isinstance(url := arguments.get("url"), str) and self.pattern.startswith("domain:"):
            host = re.sub(r"^\w+://(?:[^/@]*@)?", "", url).partition("/")[0].partition(":")[0]
            return matches(self.pattern.removeprefix("domain:"), host)
        return True

    def _fits_command(self, line: str, directory: Path) -> bool:
        """Return whether one of the commands in the line fits."""
        pattern = f"{self.pattern[:-2]} *" if self.pattern.endswith(":*") else self.pattern
        findings = analyse(line, directory=directory, home=user_home())
        if findings.doubts or not findings.commands:
            return True
        commands = (line, *(command.text for command in findings.commands))
        return any(matches(pattern, _ASSIGNMENTS.sub("", command)) for command in commands)

    def _fits_path(self, path: str, directory: Path) -> bool:
        """Return whether the file fits: `//` begins an absolute pattern, `~/` a pattern in the home directory."""
        pattern = self.pattern
        top = directory
        if pattern.startswith("//"):
            top, pattern = Path(directory.anchor), pattern[2:]
        elif pattern.startswith("~/"):
            top, pattern = user_home(), pattern[2:]
        try:
            name = PurePosixPath(Path(path).relative_to(top).as_posix())
        except ValueError:
            return False
        return fits_any(str(name), (pattern,))


def read_condition(written: object) -> Condition | None:
    """Return the condition, or None for a text that is no rule."""
    match = _RULE.fullmatch(written.strip()) if isinstance(written, str) else None
    return None if match is None else Condition(match[1], match[2] or "")
