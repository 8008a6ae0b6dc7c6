"""Show a proposed change as coloured text."""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from placet.core.events import ChangedFile
from placet.core.hunks import Hunk
from placet.core.ports import ProposedChange, ProposedFile
from placet.core.visible_text import spelled_out
from placet.project.paths import Workspace, from_uri
from placet.text.counted import counted
from placet.text.diff import count_lines, lines_in_context, unified_diff
from placet.text.lines import split_lines

_STYLES = {"+": "green", "-": "red", "@": "cyan", "\\": "dim"}
IN_CONFLICT = "In conflict: you have changed these lines too. `-` are your lines, which `y` replaces and `n` keeps."
_TRAILING_BLANKS = "on red"
"""Style of blanks at the end of an added line, which nobody would see."""


def is_long(text: Text, console: Console, rest: int) -> bool:
    """Return whether the text, with `rest` further lines, exceeds the screen; False without a terminal."""
    return console.is_terminal and len(console.render_lines(text, pad=False)) > console.height - rest


def change_text(change: ProposedChange, workspace: Workspace) -> Text:
    """Return every file of the change with a heading and a diff."""
    return Text("\n\n").join(file_text(file, workspace) for file in change.files)


def files_text(files: Sequence[ProposedFile], workspace: Workspace, most: int) -> Text:
    """Return a list of the files with the numbers of added and deleted lines; at most `most` files are named."""
    rows = [_row(file, workspace) for file in files]
    width = max(len(kind_and_name) for kind_and_name, _ in rows)
    added, deleted = (sum(numbers) for numbers in zip(*(counts for _, counts in rows), strict=True))
    lines = [Text(counted(len(files), "file"), style="bold").append_text(_counts(added, deleted))]
    shown = rows if len(rows) <= most else rows[: max(1, most - 1)]
    lines += [Text(f"  {name:{width}}").append_text(_counts(*counts)) for name, counts in shown]
    if hidden := len(rows) - len(shown):
        lines.append(Text(f"  … and {counted(hidden, 'more file')}"))
    return Text("\n").join(lines)


def _row(file: ProposedFile, workspace: Workspace) -> tuple[str, tuple[int, int]]:
    return f"{file.kind} {_name(file, workspace)}", count_lines(file.hunks)


def _name(file: ProposedFile, workspace: Workspace) -> str:
    name = spelled_out(workspace.relative(file.path))
    return name if file.new_path is None else f"{name} -> {spelled_out(workspace.relative(file.new_path))}"


def _counts(added: int, deleted: int) -> Text:
    return Text().append(f"  +{added}", style="green").append(f" -{deleted}", style="red")


def heading_text(file: ProposedFile, workspace: Workspace) -> Text:
    """Return the line above the diff of a file: kind, name and counts."""
    heading = Text(f"{file.kind} {_name(file, workspace)}", style="bold")
    return Text().append_text(heading).append_text(_counts(*count_lines(file.hunks)))


def file_text(file: ProposedFile, workspace: Workspace) -> Text:
    name = workspace.relative(file.path)
    diff = unified_diff(file.old_text, file.new_text, f"a/{name}", f"b/{name}")
    return Text("\n").join([heading_text(file, workspace), *_coloured(_body(diff))])


def _body(diff: str) -> list[str]:
    """Return the lines of the diff without the lines of file names, which stand before the first hunk."""
    lines = split_lines(diff)
    return lines[next((at for at, line in enumerate(lines) if line.startswith("@@")), 0) :]


def applied_text(file: ChangedFile) -> Text:
    """Return the applied diff of a file, for a change made without asking."""
    name = spelled_out(str(from_uri(file.uri) or file.uri))
    return Text("\n").join([Text(f"{file.kind} {name}", style="bold"), *_coloured(_body(file.diff))])


def hunk_text(file: ProposedFile, hunk: Hunk) -> Text:
    """Return a single hunk for the user to accept or reject, with its context."""
    heading = [Text(f"@@ line {hunk.old_start + 1} @@", style="cyan")]
    if hunk.is_in_conflict:
        heading.append(Text(IN_CONFLICT, style="bold red"))
    return Text("\n").join([*heading, *_coloured(lines_in_context(hunk, file.hunks, file.old_text))])


def _coloured(lines: list[str]) -> Iterator[Text]:
    for line in lines:
        shown = line.rstrip("\r\n")
        text = Text(shown, style=_STYLES.get(line[:1], ""))
        if shown.startswith("+"):
            text.stylize(_TRAILING_BLANKS, len(shown.rstrip(" \t")), len(shown))
        yield text
