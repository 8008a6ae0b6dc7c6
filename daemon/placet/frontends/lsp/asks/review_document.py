"""The `.diff` document of a change waiting for the user: the hunks behind the document's lines, and the user's
decisions.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types

from placet.changes.review.answers import answer_by_hunks
from placet.core.ports import PermissionAnswer, PermissionRequest, ProposedChange, ProposedFile
from placet.text.unified import unified_diff

KIND = types.CodeActionKind.QuickFix
"""Kind of the answers among the code actions: every editor shows quick fixes without being asked."""

_VERBS = (("Accept", "keep"), ("Reject", "drop"))
"""Word of a title, and word of the command `placet.hunks`."""

Place = tuple[int, int]
"""Place of a hunk: the number of the file in the change, from 0, and the id of the hunk in the file."""


def diff_of(change: ProposedChange) -> str:
    """Return all files of a change as one unified diff."""
    return "".join(_diff(file) for file in change.files)


def _diff(file: ProposedFile) -> str:
    old = "/dev/null" if file.kind == "create" else f"a/{_name(file.path)}"
    new = "/dev/null" if file.kind == "delete" else f"b/{_name(file.new_path or file.path)}"
    mode = f"new file mode 100{file.mode:o}\n" if file.kind == "create" and file.mode is not None else ""
    return mode + unified_diff(file.old_text, file.new_text, old, new)


def _name(path: Path) -> str:
    return path.as_posix().lstrip("/")


def lines_of(change: ProposedChange) -> tuple[frozenset[Place], ...]:
    """Return for each line of the diff the line's hunks: a changed line has its own hunk, any other line all hunks of
    its `@@` group.
    """
    return tuple(places for number, file in enumerate(change.files) for places in _lines(number, file))


def _lines(number: int, file: ProposedFile) -> Iterator[frozenset[Place]]:
    groups: list[list[frozenset[Place]]] = [[]]
    old = new = 0
    for line in _diff(file).split("\n")[:-1]:
        own: frozenset[Place] = frozenset()
        if line.startswith("@@ "):
            groups.append([])
            old, new = (_start(span) for span in line.split(" ")[1:3])
        elif len(groups) == 1:
            pass  # The lines of the file's permissions and name.
        elif line.startswith("-"):
            own = frozenset((number, hunk.id) for hunk in file.hunks if 0 <= old - hunk.old_start < len(hunk.old_lines))
            old += 1
        elif line.startswith("+"):
            own = frozenset((number, hunk.id) for hunk in file.hunks if 0 <= new - hunk.new_start < len(hunk.new_lines))
            new += 1
        elif line.startswith(" "):
            old, new = old + 1, new + 1
        groups[-1].append(own)
    whole = frozenset((number, hunk.id) for hunk in file.hunks)
    for place, group in enumerate(groups):
        together = frozenset[Place]().union(*group) if place else whole
        yield from (own or together for own in group)


def _start(span: str) -> int:
    """Return the 0-based line of `-12,3` or `+1`; an empty span names the line before the span."""
    first, _, length = span[1:].partition(",")
    return int(first) - (0 if length == "0" else 1)


@dataclass(slots=True)
class Review:
    """Review of a change on the way to an answer: each hunk is kept, dropped or open."""

    request: PermissionRequest
    change: ProposedChange
    kept: dict[Place, bool] = field(default_factory=dict[Place, bool])
    """Decisions by hunk: True for a kept hunk."""

    @property
    def places(self) -> list[Place]:
        """Hunks of the change, in order."""
        return [(number, hunk.id) for number, file in enumerate(self.change.files) for hunk in file.hunks]

    @property
    def open(self) -> list[Place]:
        """Hunks without a decision, in order."""
        return [place for place in self.places if place not in self.kept]

    def decide(self, places: list[Place], *, keep: bool) -> PermissionAnswer | None:
        """Take a decision, also one other than before, and return the answer once no hunk is open."""
        self.kept |= dict.fromkeys(set(self.places).intersection(places), keep)
        if self.open:
            return None
        # A file without hunks (an empty file, a rename) goes with the rest: an unnamed file would be rejected.
        accepted = {
            file.path: [hunk.id for hunk in file.hunks if self.kept[number, hunk.id]]
            for number, file in enumerate(self.change.files)
        }
        return answer_by_hunks(self.change.files, accepted) if any(self.kept.values()) else PermissionAnswer("reject")

    def actions(self, span: types.Range) -> list[types.CodeAction]:
        """Return the code actions for the lines of a range of the diff document."""
        first, last = span.start.line, span.end.line
        here = sorted(frozenset[Place]().union(*lines_of(self.change)[first : last + 1]))
        actions: list[types.CodeAction] = []
        if here:
            subject = "this hunk" if len(here) == 1 else f"these {len(here)} hunks"
            actions = [self._action(f"{title} {subject}", verb, here) for title, verb in _VERBS]
        if (left := self.open) and set(left) != set(here):
            actions += [self._action(f"{title} all {len(left)} remaining", verb, left) for title, verb in _VERBS]
        return actions

    def _action(self, title: str, verb: str, places: list[Place]) -> types.CodeAction:
        arguments = [self.request.id, verb, [list(place) for place in places]]
        return action(f"Placet: {title}", "placet.hunks", arguments)


def hunk_text(change: ProposedChange, place: Place) -> str:
    """Return the text of a hunk for a question, with the name of the hunk's file."""
    file = change.files[place[0]]
    hunk = next(hunk for hunk in file.hunks if hunk.id == place[1])
    lines = (line.rstrip("\r\n") for line in hunk.signed_lines)
    return "\n".join([f"{file.name or file.path}, line {hunk.old_start + 1}", *lines])


def action(title: str, command: str, arguments: list[Any], kind: types.CodeActionKind = KIND) -> types.CodeAction:
    """Return a code action running a command of the server."""
    return types.CodeAction(title, kind, command=types.Command(title, command, arguments=arguments))
