"""`/changes`, `/accept` and `/reject`: the change set of a session, and decisions about the set."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from placet.agent.commands.template import words_of
from placet.changes.review.staged_file import StagedView
from placet.core.errors import RequestError
from placet.core.hunks import Decision, Hunk
from placet.core.visible_text import one_line, spelled_out
from placet.frontends.acp.updates.tool_calls import fenced
from placet.project.paths import Workspace, from_uri
from placet.sessions.change_set_text import MARKS, outcome, summary, views_of
from placet.sessions.session import Session

MOST_DIFF = 20_000
"""Characters of all shown hunks together."""
HOW = "`/accept` and `/reject` take all changes; `/accept FILE` takes a file, and `/accept FILE 1,3` some hunks."
HOW_IN_CONFLICT = (
    "A hunk in conflict is accepted by its number alone, and replaces your lines; `/reject` keeps your lines."
)
WAY_BACK = "Stopping this command takes the decision back."

_HUNKS = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*")


class _Choice(Struct):
    """File of a decision, as the user named the file."""

    file: str
    hunks: frozenset[int] | None = None


async def list_changes(session: Session, workspace: Workspace) -> str:
    """Return the changes to review with the hunks, and all changes so far."""
    views = await session.change_set.views()
    changes = [line for change in await session.changes() for line in _change_lines(change, workspace)]
    texts: list[str] = []
    if views:
        lines = [f"{MARKS[view.file.state]:10}  {summary(view)}" for view in views]
        texts += ["Changes to review:", fenced("\n".join(lines)), *_diffs(views), HOW]
        texts += [HOW_IN_CONFLICT] if any(view.hunks_in_conflict for view in views) else []
    if changes:
        texts += ["Changes of this session:", fenced("\n".join(changes))]
    return "\n\n".join(texts) or "This session has changed no file."


async def decide(
    session: Session,
    workspace: Workspace,
    kind: Literal["accept", "reject"],
    arguments: str,
    tell: Callable[[str], None],
) -> str:
    """Carry out the user's decision, and return the outcome of each file. Raises PlacetError.

    `tell` tells the user what a long wait waits for, and what becomes of a cancelled decision.
    """
    views = await session.change_set.views()
    if not views:
        return "No change waits for a review."
    choices, comment = _read(words_of(arguments), views, workspace)
    if comment and kind == "accept":
        raise RequestError(f"No change of {comment} waits for a review.")
    decisions: list[Decision] = []
    for choice in choices or [_Choice(str(view.file.place)) for view in views]:
        for view in views_of(views, {_path(choice.file, workspace): choice.file}):
            _check(choice, view)
            decisions.append(Decision(view.file.place, view.version, kind, choice.hunks, comment=comment))
    decided = await session.change_set.decide(decisions, tell, WAY_BACK)
    return fenced("\n".join(outcome(file, workspace) for file in decided))


def _read(words: Sequence[str], views: Sequence[StagedView], workspace: Workspace) -> tuple[list[_Choice], str]:
    """Return the named files, and the words behind the files. Raises RequestError if the first word names no file."""
    places = {view.file.place for view in views}
    choices: list[_Choice] = []
    for number, word in enumerate(words):
        if _path(word, workspace) in places:
            choices.append(_Choice(word))
        elif choices and choices[-1].hunks is None and _HUNKS.fullmatch(word):
            choices[-1].hunks = frozenset(_numbers(word))
        elif choices:
            return choices, " ".join(words[number:])
        else:
            raise RequestError(f"No change of {word} waits for a review. `/changes` lists the changes.")
    return choices, ""


def _path(word: str, workspace: Workspace) -> Path:
    return workspace.resolve(word)


def _numbers(word: str) -> Iterator[int]:
    """Yield the numbers of `1,3-5`."""
    for numbers in word.split(","):
        first, _, last = numbers.partition("-")
        yield from range(int(first), min(int(last or first), int(first) + 10_000) + 1)


def _check(choice: _Choice, view: StagedView) -> None:
    """Raises RequestError for a hunk that the file does not have."""
    ids = {hunk.id for hunk in (() if view.proposed is None else view.proposed.hunks)}
    if unknown := (choice.hunks or frozenset()) - ids:
        raise RequestError(f"{choice.file} has no hunk {min(unknown)}: `/changes` shows the hunks.")


def _diffs(views: Sequence[StagedView]) -> list[str]:
    """Return the hunks of each file, as long as there is room."""
    texts: list[str] = []
    room = MOST_DIFF
    for view in views:
        if view.proposed is None or not view.proposed.hunks:
            continue
        text = fenced("\n".join(_hunk(hunk) for hunk in view.proposed.hunks), "diff")
        room -= len(text)
        if room < 0:
            return [*texts, "The other hunks are too long to be shown here."]
        texts.append(f"{spelled_out(view.name)}\n{text}")
    return texts


def _hunk(hunk: Hunk) -> str:
    lines = (spelled_out(line.rstrip("\n")) for line in hunk.signed_lines)
    conflict = ", in conflict with your lines" if hunk.is_in_conflict else ""
    return "\n".join([f"@@ hunk {hunk.id}, line {hunk.old_start + 1}{conflict} @@", *lines])


def _change_lines(change: dict[str, Any], workspace: Workspace) -> Iterator[str]:
    """Yield a line for each file of a change, as Session.changes describes the change."""
    state = "rejected" if change["state"] == "refused" else change["state"]
    for file in change["files"]:
        path = from_uri(file.get("newUri") or file["uri"])
        name = file["uri"] if path is None else workspace.relative(path)
        counts = f"  +{file['additions']} -{file['deletions']}" if "additions" in file else ""
        kind = "undo" if change["kind"] == "undo" else file["kind"]
        yield f"{one_line(state):10} {one_line(kind):7} {spelled_out(name)}{counts}"
