"""Walk through the hunks of a change, and the keys that decide about each hunk. Pure.

The keys are those of `git add -p`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from placet.core.hunks import Decision, Hunk
from placet.core.ports import ProposedFile
from placet.core.values import replace

_WORDS = {"yes": "y", "no": "n", "always": "a", "quit": "q", "edit": "e", "skip": "s", "view": "v", "help": "?"}
WITH_WORDS = "yndq"
"""Keys of the walk that words of the user may follow: a comment or a reason for the model."""


@dataclass(frozen=True, slots=True)
class Part:
    """Part of a change that the user decides on: a hunk, or a file that is accepted or rejected as a whole."""

    file: int
    """Index of the file in the change."""
    hunks: tuple[Hunk, ...]
    """The hunk; all hunks of a file that is deleted; none for a rename without changes."""
    number: int
    """Number of the hunk in the file, from 1 on."""
    count: int
    """Number of parts of the file."""
    is_whole: bool
    """True for a whole file."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Decision of the user on a part."""

    is_accepted: bool
    words: str = ""
    """Reason or comment for the model."""
    edited: str | None = None
    """Text of the user in place of the new lines of the hunk."""


@dataclass(frozen=True, slots=True)
class Walk:
    """State of the walk: the decisions so far, and the part on which the user decides now."""

    parts: tuple[Part, ...]
    choices: Mapping[int, Choice] = field(default_factory=dict[int, Choice])
    """Decisions, by the index of the part."""
    at: int | None = 0
    """Index of the part on screen; None when the walk has ended."""

    @property
    def part(self) -> Part | None:
        return None if self.at is None else self.parts[self.at]


def begin(files: Sequence[ProposedFile]) -> Walk:
    """Return the walk at the first part of the files."""
    parts = tuple(part for index, file in enumerate(files) for part in _parts(index, file))
    return Walk(parts, at=0 if parts else None)


def _parts(index: int, file: ProposedFile) -> list[Part]:
    if file.kind == "delete" or file.is_raw or not file.hunks:
        return [Part(index, file.hunks, 1, 1, is_whole=True)]
    count = len(file.hunks)
    return [Part(index, (hunk,), number, count, is_whole=False) for number, hunk in enumerate(file.hunks, start=1)]


def keys(walk: Walk) -> str:
    """Return the keys that decide or move at this part."""
    part = walk.part
    assert walk.at is not None
    assert part is not None
    later = _undecided(walk, range(walk.at + 1, len(walk.parts)))
    earlier = _undecided(walk, range(walk.at))
    fits = {"a": part.count > 1, "d": part.count > 1, "e": not part.is_whole, "j": bool(later), "k": bool(earlier)}
    return "".join(key for key in "ynadqejk" if fits.get(key, True))


def read_key(line: str, possible: str, with_words: str = WITH_WORDS) -> tuple[str, str] | None:
    """Return the key and the words behind the key; None if the line is no answer.

    Words may stand behind the keys of `with_words` alone: `yikes` and `e it` are no answers.
    """
    word, _, rest = line.strip().partition(" ")
    key = _WORDS.get(word.lower(), word.lower())
    if len(key) != 1 or key not in possible or (rest.strip() and key not in with_words):
        return None
    return key, rest.strip()


def decided(walk: Walk, key: str, words: str = "") -> Walk:
    """Return the walk after the key `y`, `n`, `a`, `d`, `q`, `j` or `k`.

    `a` and `d` decide the part and all later undecided parts of the file, and `a` leaves hunks in conflict undecided;
    `q` with words rejects the part.
    """
    part = walk.part
    assert walk.at is not None
    assert part is not None
    match key:
        case "q":
            last = {walk.at: Choice(is_accepted=False, words=words)} if words else {}
            return replace(walk, choices={**walk.choices, **last}, at=None)
        case "j":
            return replace(walk, at=_undecided(walk, range(walk.at + 1, len(walk.parts)))[0])
        case "k":
            return replace(walk, at=_undecided(walk, range(walk.at))[-1])
        case "a" | "d":
            later = _undecided(walk, range(walk.at + 1, len(walk.parts)))
            rest = [
                index
                for index in later
                if walk.parts[index].file == part.file
                and not (key == "a" and any(hunk.is_in_conflict for hunk in walk.parts[index].hunks))
            ]
            choices = {index: Choice(key == "a") for index in rest}
            return _with(walk, {walk.at: Choice(key == "a", words), **choices})
        case _:
            return _with(walk, {walk.at: Choice(key == "y", words)})


def edited(walk: Walk, text: str) -> Walk:
    """Return the walk after the user's text was accepted in place of the new lines of the hunk."""
    assert walk.at is not None
    return _with(walk, {walk.at: Choice(is_accepted=True, edited=text)})


def _with(walk: Walk, choices: Mapping[int, Choice]) -> Walk:
    """Return the walk with the choices, at the next undecided part; the walk ends when every part is decided."""
    assert walk.at is not None
    later = replace(walk, choices={**walk.choices, **choices})
    order = [*range(walk.at + 1, len(walk.parts)), *range(walk.at + 1)]
    return replace(later, at=next(iter(_undecided(later, order)), None))


def _undecided(walk: Walk, indices: Sequence[int]) -> list[int]:
    return [index for index in indices if index not in walk.choices]


def without_undecided(walk: Walk) -> Walk:
    """Return the walk with every undecided part rejected."""
    return replace(
        walk, choices={index: Choice(is_accepted=False) for index in range(len(walk.parts))} | {**walk.choices}
    )


def walk_decisions(walk: Walk, shown: Sequence[tuple[Path, str]]) -> list[Decision]:
    """Return the decisions of the walk about the files, each shown under its place and its version; hunks without words
    are decided together.
    """
    decisions: list[Decision] = []
    for index, (place, version) in enumerate(shown):
        chosen = [
            (walk.parts[number], choice) for number, choice in walk.choices.items() if walk.parts[number].file == index
        ]
        together: dict[Literal["accept", "reject"], set[int]] = {"accept": set(), "reject": set()}
        for part, choice in chosen:
            outcome = "accept" if choice.is_accepted else "reject"
            ids = None if part.is_whole else frozenset(hunk.id for hunk in part.hunks)
            if ids is None or choice.words or choice.edited is not None:
                decision = Decision(place, version, outcome, ids, choice.edited, choice.words)
                decisions.append(decision)
            else:
                together[outcome] |= ids
        decisions += [Decision(place, version, outcome, frozenset(ids)) for outcome, ids in together.items() if ids]
    return decisions
