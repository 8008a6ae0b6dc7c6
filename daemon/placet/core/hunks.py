"""Hunks: the runs of changed lines in which the user reads, accepts and rejects a change."""

from dataclasses import dataclass
from typing import ClassVar

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


_HUNK = TypeAdapter(Hunk)


def hunk_data(hunk: Hunk) -> JsonObject:
    """Return the hunk as JSON-ready data with wire names."""
    return _HUNK.dump_python(hunk, mode="json", by_alias=True, exclude_none=True)
