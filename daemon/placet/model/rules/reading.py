"""Script parts for reading: whole files in as many pages as needed, and a file by the name a user gives."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from placet.model.rules.outputs import parse_entries, parse_paths, parse_read
from placet.model.rules.script import NotDone, Results, RulesCall, Step

CUT_LENGTH = 2000
"""Limit of a line in `read`, in characters; `read` marks a cut line."""


@dataclass(frozen=True, slots=True)
class FileText:
    path: str
    lines: tuple[str, ...]
    unseen: frozenset[int]
    """Lines (0-based) which were too long to be shown whole."""

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class Unread:
    path: str
    reason: str


def read_whole(paths: Sequence[str]) -> Generator[Step, Results, list[FileText | Unread]]:
    """Read all files side by side, each to its end; return the results in the order of `paths`."""
    lines: dict[str, dict[int, str]] = {path: {} for path in paths}
    unread: dict[str, Unread] = {}
    offsets = dict.fromkeys(paths, 1)
    while offsets:
        results = yield Step(tuple(_read(path, offset) for path, offset in offsets.items()))
        asked, offsets = offsets, {}
        for (path, offset), result in zip(asked.items(), results, strict=True):
            page = parse_read(result.text) if result.ok else None
            if page is None or page.why_not_editable:
                unread[path] = Unread(path, page.why_not_editable if page else _reason(result.text))
                continue
            lines[path].update(page.lines)
            if page.next_offset is not None and page.next_offset > offset:
                offsets[path] = page.next_offset
    return [unread.get(path) or _file_text(path, lines[path]) for path in paths]


def open_file(name: str) -> Generator[Step, Results, FileText]:
    """Read the file which the user named: at this path, else the only file in the project with a path ending so.

    Raises NotDone for a file that cannot be read whole.
    """
    file = yield from _named_file(name)
    if isinstance(file, Unread):
        raise NotDone(f"`{file.path}`: {file.reason}")
    return file


def _named_file(name: str) -> Generator[Step, Results, FileText | Unread]:
    [file] = yield from read_whole([name])
    if isinstance(file, FileText) or PurePath(name).is_absolute():
        return file
    [result] = yield Step((RulesCall("glob", {"pattern": f"**/{PurePath(name).as_posix()}"}),))
    candidates = parse_paths(result.text) if result.ok else ()
    if len(candidates) == 1:
        [file] = yield from read_whole(candidates)
        return file
    if candidates:
        listed = "\n".join(f"- `{path}`" for path in candidates[:20])
        return Unread(
            name, f"There is no `{name}` where the project starts, but more than one further down:\n\n{listed}"
        )
    return file


def _read(path: str, offset: int) -> RulesCall:
    as_lines = offset > 1 or path.endswith(".ipynb")
    return RulesCall("read", {"filePath": path, "offset": offset} if as_lines else {"filePath": path})


def _reason(output: str) -> str:
    if (entries := parse_entries(output)) is not None:
        listed = ", ".join(f"`{entry}`" for entry in entries[:30])
        return f"It is a directory, with {listed or 'nothing in it'}; name a file."
    return output.strip() or "It could not be read."


def _file_text(path: str, lines: dict[int, str]) -> FileText:
    texts = tuple(lines.get(number, "") for number in range(1, max(lines, default=0) + 1))
    return FileText(path, texts, frozenset(index for index, text in enumerate(texts) if len(text) > CUT_LENGTH))
