"""Where the whole outputs of a session's tools are kept, and which of them its model may look into unasked."""

from dataclasses import dataclass
from pathlib import Path

from placet.sessions.store import SessionInfo
from placet.settings import Locations


@dataclass(frozen=True, slots=True)
class Outputs:
    """The directories of one session's outputs."""

    directory: Path
    """Where new outputs go: one directory for the user's session and all that work for it, as they share results."""
    readable: tuple[Path, ...]


def outputs_of(info: SessionInfo, family: str, locations: Locations) -> Outputs:
    """Return the directories of a session, whose `family` is the user's session that it works for, if it is known.

    A fork's conversation tells of the outputs of the session that it was copied from, so these are readable as well.
    """
    family = family or info.parent_id or info.id
    known = dict.fromkeys(filter(None, (family, info.id, info.forked_from)))
    return Outputs(locations.outputs_of(family), tuple(map(locations.outputs_of, known)))
