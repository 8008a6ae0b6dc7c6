"""Diffs for the client, made from proposed and from applied changes."""

from collections.abc import Iterable, Sequence

from placet.core.events import ChangedFile
from placet.core.messages import JsonObject
from placet.core.ports import ProposedFile
from placet.frontends.acp.protocol.updates import Diff, Location
from placet.project.paths import from_uri

MOST_CHARACTERS = 1_000_000
"""Size of a file's two texts up to which a proposal is shown whole."""


def proposed_diffs(files: Iterable[ProposedFile]) -> tuple[Diff, ...]:
    """Return a diff for each file with the whole texts, and two for a rename; a large file is shown by the hunks."""
    return tuple(diff for file in files for diff in _proposed(file))


def applied_diffs(files: Iterable[ChangedFile], proposal: Sequence[ProposedFile] = ()) -> tuple[Diff, ...]:
    """Return a diff for each applied file: the diff of the proposal if the user accepted all of the file, else the
    applied hunks.
    """
    proposed = {file.path.as_uri(): file for file in proposal}
    diffs: list[Diff] = []
    for file in files:
        whole = proposed.get(file.uri)
        if whole is not None and whole.diff == file.diff and not file.edited:
            diffs += _proposed(whole)
        elif file.diff and (path := from_uri(file.new_uri or file.uri)) is not None:
            diffs.append(excerpt(str(path), file.diff, is_new=file.kind == "create"))
    return tuple(diffs)


def staged_files(metadata: JsonObject) -> list[ChangedFile]:
    """Return the files that a call has proposed for a later review, from the call's data for the screen."""
    return [
        ChangedFile(uri=file["uri"], kind=file["kind"], new_uri=file.get("newUri"), diff=file["diff"])
        for file in metadata.get("files", ())
        if isinstance(file, dict) and file.get("status") == "staged"
    ]


def excerpt(path: str, diff: str, *, is_new: bool = False) -> Diff:
    """Return the joined lines of a unified diff's hunks, before and after the change."""
    old: list[str] = []
    new: list[str] = []
    for sides, line in _hunk_lines(diff):
        for side in sides:
            (old if side == "old" else new).append(line)
    return Diff(path=path, old_text=None if is_new else "".join(old), new_text="".join(new))


def first_line(diff: str) -> int | None:
    """Return the line, from 1 on, at which the first hunk begins after the change; None without a hunk."""
    for line in diff.splitlines():
        if line.startswith("@@ "):
            start = line.split(" ")[2].lstrip("+").partition(",")[0]
            return max(int(start), 1) if start.isdecimal() else None
    return None


def changed_locations(files: Iterable[ChangedFile]) -> tuple[Location, ...]:
    """Return the places of the applied files."""
    paths = ((from_uri(file.new_uri or file.uri), file.diff) for file in files)
    return tuple(Location(path=str(path), line=first_line(diff)) for path, diff in paths if path is not None)


def _proposed(file: ProposedFile) -> list[Diff]:
    path = str(file.path)
    if len(file.old_text) + len(file.new_text) > MOST_CHARACTERS:
        return [excerpt(str(file.new_path or file.path), file.diff, is_new=file.kind == "create")]
    match file.kind:
        case "create":
            return [Diff(path=path, new_text=file.new_text)]
        case "rename" if file.new_path is not None:
            moved = Diff(path=str(file.new_path), new_text=file.new_text)
            return [Diff(path=path, old_text=file.old_text, new_text=""), moved]
        case "delete":
            return [Diff(path=path, old_text=file.old_text, new_text="")]
        case _:
            return [Diff(path=path, old_text=file.old_text, new_text=file.new_text)]


def _hunk_lines(diff: str) -> list[tuple[tuple[str, ...], str]]:
    """Return each line of the hunks with the sides to which the line belongs."""
    lines: list[tuple[tuple[str, ...], str]] = []
    is_in_hunk = False
    for line in diff.split("\n"):
        sides = {" ": ("old", "new"), "-": ("old",), "+": ("new",)}.get(line[:1])
        if line.startswith("@@ "):
            is_in_hunk = True
        elif not is_in_hunk:
            continue
        elif line.startswith("\\") and lines:
            last_sides, last = lines[-1]
            lines[-1] = last_sides, last.removesuffix("\n")
        elif sides is None:
            is_in_hunk = False  # A further file of the diff begins.
        else:
            lines.append((sides, f"{line[1:]}\n"))
    return lines
