"""A proposed change as coloured text."""

from collections.abc import Iterator

from rich.text import Text

from placet.edits.diff import count_lines, unified_diff
from placet.ports import Hunk, ProposedChange, ProposedFile
from placet.project.paths import Workspace

_STYLES = {"+": "green", "-": "red", "@": "cyan", "\\": "dim"}


def change_text(change: ProposedChange, workspace: Workspace) -> Text:
    """Every file of the change with a heading and its diff."""
    return Text("\n").join(file_text(file, workspace) for file in change.files)


def file_text(file: ProposedFile, workspace: Workspace) -> Text:
    name = workspace.relative(file.path)
    heading = Text(f"{file.kind} {name}", style="bold")
    if file.new_path is not None:
        heading.append(f" -> {workspace.relative(file.new_path)}")
    added, deleted = count_lines(file.hunks)
    heading.append(f"  +{added}", style="green").append(f" -{deleted}", style="red")
    diff = unified_diff(file.old_text, file.new_text, f"a/{name}", f"b/{name}")
    body = [line for line in diff.splitlines() if not line.startswith(("--- ", "+++ "))]
    return Text("\n").join([heading, *_coloured(body)])


def hunk_text(hunk: Hunk) -> Text:
    """One hunk alone, as it is put to the user's choice."""
    lines = [f"-{line.rstrip()}" for line in hunk.old_lines] + [f"+{line.rstrip()}" for line in hunk.new_lines]
    return Text("\n").join([Text(f"@@ line {hunk.old_start + 1} @@", style="cyan"), *_coloured(lines)])


def _coloured(lines: list[str]) -> Iterator[Text]:
    for line in lines:
        yield Text(line, style=_STYLES.get(line[:1], ""))
