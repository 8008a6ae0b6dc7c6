"""Summary of a bundle for the user's decision: everything that the bundle would run, in full. Pure."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, cast

from placet.core.visible_text import json_text, shown_lines, spelled_out
from placet.extensions.bundles.files import Files
from placet.extensions.bundles.manifest import SKILL_FILE, Bundle, WrittenPart
from placet.text.counted import first_lines

MOST_LINES = 2_000
"""Largest number of lines of a difference."""
_SHELL_PART = re.compile(r"!`([^`\n]+)`")
"""Command in the text of a slash command or a skill, which runs when the user calls the command."""


def summary(bundle: Bundle, files: Files) -> list[str]:
    """Return the lines of the summary; whatever a name holds, each entry is on lines of its own."""
    lines = [line for part in bundle.hooks for line in hook_lines(part.values)]
    lines += _servers("MCP server", bundle.name, bundle.servers)
    lines += _servers("language server", bundle.name, bundle.language_servers)
    for kind, paths in (("command", bundle.commands), ("agent", bundle.agents)):
        for path, name in _markdown(files, paths):
            lines.append(f"{kind} {spelled_out(f'{bundle.name}:{name}')} ({spelled_out(path)})")
            lines += _shell_parts(files[path].content)
    for path, name in _skills(files, bundle.skills):
        lines.append(f"skill {spelled_out(f'{bundle.name}:{name}' if name else bundle.name)} ({spelled_out(path)})")
        lines += _shell_parts(files[path].content)
    lines += (f"program {spelled_out(path)}" for path, file in files.items() if file.is_executable)
    lines += (f"without use in Placet: {spelled_out(name)}" for name in bundle.ignored)
    return lines


def changes(old: Files, new: Files) -> list[str]:
    """Return the lines of the changes between two states of the files, at most MOST_LINES."""
    return first_lines(_differences(old, new), MOST_LINES)


def hook_lines(hooks: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines for hooks in the form of Claude Code's setting: the event, and the command in full."""
    for event, groups in hooks.items():
        for group in cast("list[Any]", groups) if isinstance(groups, list) else [groups]:
            fields = cast("Mapping[str, Any]", group) if isinstance(group, Mapping) else {"hooks": [group]}
            matcher = f" of {spelled_out(str(fields['matcher']))}" if fields.get("matcher") else ""
            entries: Any = fields.get("hooks")
            for hook in cast("list[Any]", entries) if isinstance(entries, list) else [entries]:
                yield f"hook at {spelled_out(event)}{matcher}:"
                yield from _indented(_hook(hook))


def _hook(hook: Any) -> str:
    entry = cast("Mapping[str, Any]", hook) if isinstance(hook, Mapping) else {}
    command = entry.get("command")
    if isinstance(command, str) and not set(entry) - {"type", "command", "timeout", "description"}:
        return command
    return json_text(hook)


def _servers(kind: str, bundle: str, parts: Sequence[WrittenPart]) -> Iterator[str]:
    for part in parts:
        for name, written in part.values.items():
            yield f"{kind} {spelled_out(f'{bundle}:{name}')}:"
            yield from _indented(_server(written))


def _server(written: Any) -> str:
    entry = cast("Mapping[str, Any]", written) if isinstance(written, Mapping) else {}
    arguments = entry.get("args", [])
    if isinstance(entry.get("command"), str) and isinstance(arguments, list):
        words = " ".join(
            (
                entry["command"],
                *(json_text(word) if " " in str(word) else str(word) for word in cast("list[Any]", arguments)),
            )
        )
        rest = {key: value for key, value in entry.items() if key not in ("command", "args", "type")}
        return f"{words}\n{json_text(rest)}" if rest else words
    return json_text(written)


def _markdown(files: Files, places: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the path and the name of each Markdown file in the places."""
    for place in places:
        if place in files:
            yield place, PurePosixPath(place).stem
            continue
        prefix = "" if place == "." else f"{place}/"
        for path in files:
            if path.startswith(prefix) and path.endswith(".md"):
                yield path, path.removeprefix(prefix).removesuffix(".md").replace("/", ":")


def _skills(files: Files, places: Sequence[str]) -> Iterator[tuple[str, str]]:
    for place in places:
        if place in files:
            yield place, ""
            continue
        prefix = "" if place == "." else f"{place}/"
        for path in files:
            if path.startswith(prefix) and PurePosixPath(path).name == SKILL_FILE:
                inner = path.removeprefix(prefix).removesuffix(SKILL_FILE).strip("/")
                yield path, (inner or PurePosixPath(place).name).replace("/", ":")


def _shell_parts(content: bytes) -> Iterator[str]:
    for command in _SHELL_PART.findall(content.decode("utf-8", "replace")):
        yield f"    runs, after your rules: {spelled_out(command)}"


def _indented(text: str) -> Iterator[str]:
    return (f"    {line}" for line in shown_lines(text))


def _differences(old: Files, new: Files) -> Iterator[str]:
    for path in sorted({*old, *new}):
        before, after = old.get(path), new.get(path)
        if before == after:
            continue
        shown = spelled_out(path)
        if before is not None and after is not None and before.is_executable != after.is_executable:
            yield f"{shown} is {'now' if after.is_executable else 'no longer'} a program"
        former = None if before is None else _lines(before.content)
        latter = None if after is None else _lines(after.content)
        is_text = None not in (former, latter) or (None in (before, after) and (former or latter) is not None)
        if is_text:
            names = (shown if before else "(nothing)", shown if after else "(nothing)")
            yield from difflib.unified_diff(former or [], latter or [], *names, lineterm="", n=2)
        elif before is None or after is None:
            yield f"{shown} is {'new' if before is None else 'gone'} (not a text)"
        elif before.content != after.content:
            yield f"{shown} has changed (not a text)"


def _lines(content: bytes) -> list[str] | None:
    """Return the lines for the user, or None for content other than text."""
    try:
        return None if b"\0" in content else [spelled_out(line) for line in content.decode().split("\n")]
    except UnicodeDecodeError:
        return None
