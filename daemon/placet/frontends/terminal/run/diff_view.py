"""Show a proposed change as coloured text."""

from collections.abc import Iterator

from rich.text import Text

from placet.core.events import ChangedFile
from placet.core.hunks import Hunk
from placet.core.ports import ProposedChange, ProposedFile
from placet.core.visible_text import spelled_out
from placet.project.paths import Workspace, from_uri
from placet.text.diff import count_lines, unified_diff
from placet.text.lines import split_lines

_STYLES = {"+": "green", "-": "red", "@": "cyan", "\\": "dim"}


def change_text(change: ProposedChange, workspace: Workspace) -> Text:
    """Return every file of the change with a heading and a diff."""
    return Text("\n\n").join(file_text(file, workspace) for file in change.files)


def file_text(file: ProposedFile, workspace: Workspace) -> Text:
    name = workspace.relative(file.path)
    heading = Text(f"{file.kind} {spelled_out(name)}", style="bold")
    if file.new_path is not None:
        heading.append(f" -> {spelled_out(workspace.relative(file.new_path))}")
    added, deleted = count_lines(file.hunks)
    heading.append(f"  +{added}", style="green").append(f" -{deleted}", style="red")
    diff = unified_diff(file.old_text, file.new_text, f"a/{name}", f"b/{name}")
    return Text("\n").join([heading, *_coloured(_body(diff))])


def _body(diff: str) -> list[str]:
    """Return the lines of the diff without the two lines of file names."""
    return [line for line in split_lines(diff) if not line.startswith(("--- ", "+++ "))]


def applied_text(file: ChangedFile) -> Text:
    """Return the applied diff of a file, for a change made without asking."""
    name = spelled_out(str(from_uri(file.uri) or file.uri))
    return Text("\n").join([Text(f"{file.kind} {name}", style="bold"), *_coloured(_body(file.diff))])


def hunk_text(hunk: Hunk) -> Text:
    """Return a single hunk, for the user to accept or reject."""
    lines = [f"-{line.rstrip()}" for line in hunk.old_lines] + [f"+{line.rstrip()}" for line in hunk.new_lines]
    return Text("\n").join([Text(f"@@ line {hunk.old_start + 1} @@", style="cyan"), *_coloured(lines)])


def _coloured(lines: list[str]) -> Iterator[Text]:
    for line in lines:
        yield Text(line.rstrip("\r\n"), style=_STYLES.get(line[:1], ""))
