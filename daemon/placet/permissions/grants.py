"""What the user allowed with "always", and for whom.

Grants of a session are kept in memory and end with the daemon; those for a project or the user are in a file
(grants_file.py), which is looked at before every ask, so that what another process grants or revokes counts at once.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from placet.errors import SettingsError
from placet.messages import new_id
from placet.permissions.grants_file import GrantsFile, Record, State
from placet.permissions.patterns import matches
from placet.ports import Scope
from placet.project.executor import in_thread
from placet.project.paths import real

logger = logging.getLogger(__name__)

_WHERE: dict[Scope, str] = {"session": "in this session", "project": "in this project", "user": "everywhere"}


@dataclass(frozen=True, slots=True)
class Grant:
    id: str
    permission: str
    pattern: str
    scope: Scope
    session_id: str = ""
    """The session in which it was given; with the scope `session`, the only one where it holds."""
    roots: tuple[str, ...] = ()
    """With the scope `project`: its folders, symlinks resolved."""
    given: str = ""
    """When, in UTC."""
    source: str = ""
    """The file it is written to; empty while it is only remembered."""

    @property
    def place(self) -> str:
        return self.source or "remembered until the daemon ends"

    def __str__(self) -> str:
        said = f"you said always {_WHERE[self.scope]}"
        return f"`{self.permission}: {self.pattern}` -> allow ({said}; {self.id}, {self.place})"


class Grants:
    """Those that may hold in one workspace."""

    def __init__(self, file: GrantsFile | None = None, roots: Sequence[Path] = ()) -> None:
        """Without a file every grant ends with the daemon."""
        self._file = file
        self._roots = tuple(sorted(real(root).as_posix() for root in roots))
        self._remembered: dict[str, Grant] = {}
        self._written: tuple[Grant, ...] = ()
        self._seen: State = None
        self.problem = ""
        """Why the file is not used; empty when it is."""

    def open_in(self, roots: Sequence[Path]) -> None:
        """From here on those grants hold that may hold in these folders."""
        self._roots = tuple(sorted(real(root).as_posix() for root in roots))
        self._remembered = {id: grant for id, grant in self._remembered.items() if grant.scope != "project"}
        self._seen, self._written = None, ()

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """For how long something can be granted, the shortest first."""
        return ("session",) if self._file is None or self.problem else ("session", "project", "user")

    def refresh(self) -> None:
        """Look whether the file has changed, and read it if so: two system calls otherwise."""
        if self._file is None or (state := self._file.state()) == self._seen:
            return
        self._seen = state
        self._written = ()
        try:
            read = [_grant(record, str(self._file.path)) for record in self._file.read()]
        except SettingsError as error:
            self.problem = str(error)
            logger.warning("%s", error)
            return
        self.problem = ""
        self._written = tuple(one for one in read if one.scope == "user" or one.roots == self._roots)

    async def add(self, permission: str, patterns: Iterable[str], *, scope: Scope, session_id: str) -> None:
        """Grant them and, where that is for longer than the session, write them down."""
        await self.write_down(self.remember(permission, patterns, scope=scope, session_id=session_id))

    def remember(self, permission: str, patterns: Iterable[str], *, scope: Scope, session_id: str) -> tuple[Grant, ...]:
        """Grant them from now on; those that were not yet granted. `write_down` makes them last."""
        moment = datetime.now(UTC).isoformat(timespec="seconds")
        roots = self._roots if scope == "project" else ()
        held = {(one.permission, one.pattern, one.scope) for one in self.holding(session_id)}
        added = tuple(
            Grant(new_id("grt"), permission, pattern, scope, session_id, roots, moment)
            for pattern in dict.fromkeys(patterns)
            if (permission, pattern, scope) not in held
        )
        self._remembered |= {grant.id: grant for grant in added}
        return added

    async def write_down(self, grants: Iterable[Grant]) -> None:
        """Keep those for longer than the session.

        What cannot be written, with the reason in the log, holds until the daemon ends.
        """
        lasting = [grant for grant in grants if grant.scope != "session"]
        if self._file is None or not lasting:
            return
        try:
            await in_thread(self._file.change, partial(_with, lasting))
        except SettingsError as error:
            logger.warning("A grant is remembered but not written down: %s", error)
            return
        self.refresh()
        for grant in lasting:
            self._remembered.pop(grant.id, None)

    def find(self, permission: str, pattern: str, session_id: str) -> Grant | None:
        """The grant that allows it in the session, the latest first."""
        for grant in self.holding(session_id):
            if grant.permission == permission and matches(grant.pattern, pattern):
                return grant
        return None

    def holding(self, session_id: str) -> Iterator[Grant]:
        """All that hold in the session, the latest first, as the file was when it was last looked at."""
        for grant in reversed((*self._written, *self._remembered.values())):
            if grant.scope != "session" or grant.session_id == session_id:
                yield grant

    def all(self) -> tuple[Grant, ...]:
        """Those of every session too, the oldest first."""
        return (*self._written, *self._remembered.values())

    async def revoke(self, grant_id: str) -> bool:
        """Take it back; what was done under it stays. False if there is none. Raises SettingsError."""
        was_remembered = self._remembered.pop(grant_id, None) is not None
        self.refresh()
        if self._file is None or all(grant.id != grant_id for grant in self._written):
            if self.problem and not was_remembered:
                raise SettingsError(self.problem)
            return was_remembered
        await in_thread(self._file.change, partial(_without, grant_id))
        self.refresh()
        return True


def _with(grants: Sequence[Grant], records: list[Record]) -> list[Record]:
    return [*records, *map(_record, grants)]


def _without(grant_id: str, records: list[Record]) -> list[Record]:
    return [record for record in records if record["id"] != grant_id]


def _record(grant: Grant) -> Record:
    record: dict[str, object] = {
        "id": grant.id,
        "permission": grant.permission,
        "pattern": grant.pattern,
        "scope": grant.scope,
        "given": grant.given,
    }
    return record | ({"roots": list(grant.roots)} if grant.scope == "project" else {})


def _grant(record: Record, source: str) -> Grant:
    """Of a record that GrantsFile has looked at."""
    grant = Grant(record["id"], record["permission"], record["pattern"], record["scope"], source=source)
    given = record.get("given")
    return replace(
        grant,
        roots=tuple(sorted(record.get("roots") or ())) if grant.scope == "project" else (),
        given=given if isinstance(given, str) else "",
    )
