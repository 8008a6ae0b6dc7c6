"""Hunks: the runs of changed lines in which the user reads a change, and the decisions of the user about hunks."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from msgspec import Struct
from pydantic import ConfigDict, TypeAdapter
from pydantic.alias_generators import to_camel

from placet.core.messages import JsonObject


@dataclass(frozen=True, slots=True)
class Hunk:
    """Run of changed lines, with line ends; line numbers are 0-based."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, defer_build=True
    )

    id: int
    """Number of the hunk in the file, from 1 on."""
    old_start: int
    old_lines: tuple[str, ...]
    new_start: int
    new_lines: tuple[str, ...]
    base_lines: tuple[str, ...] | None = None
    """Lines before both changes, for a hunk in conflict: the old lines are then what the user has made of these lines.
    None for a hunk that fits.
    """

    @property
    def is_in_conflict(self) -> bool:
        return self.base_lines is not None

    @property
    def signed_lines(self) -> tuple[str, ...]:
        """Return the old lines with `-` in front, and then the new lines with `+`."""
        return (*(f"-{line}" for line in self.old_lines), *(f"+{line}" for line in self.new_lines))


_HUNK = TypeAdapter(Hunk)


def hunk_data(hunk: Hunk) -> JsonObject:
    """Return the hunk as JSON-ready data with wire names."""
    return _HUNK.dump_python(hunk, mode="json", by_alias=True, exclude_none=True)


class Decision(Struct, frozen=True):
    """Decision of the user about a file of a change, or about some hunks of the file."""

    place: Path
    """Path by which the session knows the file: the destination of a rename."""
    version: str
    """Version of the view on which the user decided."""
    outcome: Literal["accept", "reject", "comment"]
    """`comment` decides nothing: the comment goes to the model."""
    hunks: frozenset[int] | None = None
    """Hunks of the decision; None for the whole file."""
    edited: str | None = None
    """Text of the user in place of the new text of an accepted file, or in place of the new lines of one accepted
    hunk."""
    comment: str = ""
    """Words of the user for the model."""
    edited_on: str | None = None
    """Text of the document on which the user made the text of a whole file, where the document may have changed since.
    """
