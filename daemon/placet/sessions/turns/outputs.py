"""Directories for the whole outputs of a session's tools, and the directories open to the model unasked."""

from pathlib import Path

from msgspec import Struct

from placet.sessions.store.records import SessionInfo
from placet.settings import Locations


class Outputs(Struct, frozen=True):
    """The directories for the outputs of a session."""

    family: str
    """Id of the user's session, for which all sessions of the family work."""
    directory: Path
    """Directory of new outputs, shared by the user's session and all sessions at work for the user's session."""
    readable: tuple[Path, ...]


def outputs_of(info: SessionInfo, family: str, locations: Locations) -> Outputs:
    """Return the directories of a session, whose `family` is the user's session at the top of its employers, if known.

    A fork's conversation tells of the outputs of the session that was copied, so these are readable as well.
    """
    family = family or info.parent_id or info.id
    session_ids = dict.fromkeys(filter(None, (family, info.id, info.forked_from)))
    return Outputs(family, locations.outputs_of(family), tuple(map(locations.outputs_of, session_ids)))
