"""Denials in settings files of Claude Code (`permissions.deny`), as rules of Placet.

A denial only narrows, so the denials of a project count without trust. What Claude Code allows does not count.
https://docs.claude.com/en/docs/claude-code/settings#permission-settings
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from placet.core.regular_files import UnfitFile, read_regular_file
from placet.settings import jsonc
from placet.settings.sources import Source

_MOST_BYTES = 1_000_000
_RULE = re.compile(r"(\w+)(?:\((.*)\))?", re.DOTALL)
_OF_FILES = {"Read": "read", "Edit": "edit", "Write": "edit", "MultiEdit": "edit", "NotebookEdit": "edit"}
_OF_TOOLS = {"WebSearch": "websearch", "Task": "task", "Glob": "glob", "Grep": "grep", "LS": "list"}


def read_denials(file: Path, directory: Path, problems: list[str]) -> Source | None:
    """Return the denials of the file as settings, or None without any. Relative paths begin at the directory. Blocks.

    A denial that Placet cannot use is added to `problems`.
    """
    try:
        settings: Any = jsonc.parse(read_regular_file(file, _MOST_BYTES).decode("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, UnfitFile, ValueError) as error:
        problems.append(f"{file}: its denials cannot be read: {error}")
        return None
    rules: dict[str, dict[str, str]] = {}
    for written in _denied(settings):
        found = [] if not isinstance(written, str) else list(_rules(written, directory))
        if not found:
            problems.append(
                f"{file}: the denial {written!r} of `permissions.deny` is not used, as Placet has none like it"
            )
        for permission, pattern in found:
            rules.setdefault(permission, {})[pattern] = "deny"
    name = f"{file}, permissions.deny"
    return Source(name, {"permission": rules}, trusted=False, is_own=False) if rules else None


def _denied(settings: Any) -> list[Any]:
    permissions: Any = cast("Mapping[str, Any]", settings).get("permissions") if isinstance(settings, Mapping) else None
    denied: Any = cast("Mapping[str, Any]", permissions).get("deny") if isinstance(permissions, Mapping) else None
    return cast("list[Any]", denied) if isinstance(denied, list) else []


def _rules(written: str, directory: Path) -> Iterator[tuple[str, str]]:
    """Yield the permission and the pattern of each rule that the denial means; none for an unknown denial."""
    match = _RULE.fullmatch(written.strip())
    if match is None:
        return
    tool, argument = match[1], (match[2] or "").strip()
    if permission := _OF_FILES.get(tool):
        yield from ((permission, pattern) for pattern in _places(argument, directory))
    elif tool == "Bash":
        command = argument.removesuffix(":*")
        yield from (
            ("bash", pattern) for pattern in ((command, f"{command} *") if command != argument else (argument or "*",))
        )
    elif tool == "WebFetch":
        host = argument.removeprefix("domain:")
        yield from (("webfetch", f"{scheme}://{host}*") for scheme in (("http", "https") if host else ()))
        if not host:
            yield "webfetch", "*"
    elif tool in _OF_TOOLS and not argument:
        yield _OF_TOOLS[tool], "*"
    elif tool.startswith("mcp__"):
        server, _, name = tool.removeprefix("mcp__").partition("__")
        yield f"{server}_{name or '*'}", "*"


def _places(argument: str, directory: Path) -> Iterator[str]:
    """Yield Placet's patterns for a path in the form of gitignore(5); `*` of Placet goes through `/`."""
    path = argument.rstrip("/")
    if not path or path in ("*", "**"):
        yield "*"
        return
    if path.startswith("//"):
        tops = (path[1:],)
    elif path.startswith("~"):
        tops = (path,)
    else:
        inner = path.removeprefix("./").lstrip("/")
        anchored = "/" in path
        tops = (f"{directory.as_posix()}/{inner}", *(() if anchored else (f"{directory.as_posix()}/*/{inner}",)))
    for top in tops:
        pattern = re.sub(r"\*\*/?", "*", top)
        yield pattern
        yield f"{pattern}/*"
