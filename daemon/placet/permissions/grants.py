"""Grants that the user gave with "always", each with a scope.

Grants of a session are kept in memory and end with the daemon; grants for a project or the user are in a file
(grants_file.py). The file is looked at before every ask, so a grant or revocation by another process counts at once.
Grants for a project hold in the project's worktrees of Placet too.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from msgspec import Struct

from placet.core.errors import SettingsError
from placet.core.executor import in_thread
from placet.core.ids import new_id
from placet.core.ports import Scope
from placet.core.values import replace
from placet.permissions.grants_file import GrantsFile, Record, State
from placet.permissions.patterns import matches
from placet.permissions.ungranted import reason_not_granted
from placet.project.paths import real

logger = logging.getLogger(__name__)

_WHERE: dict[Scope, str] = {"session": "in this session", "project": "in this project", "user": "everywhere"}


class Grant(Struct, frozen=True):
    id: str
    permission: str
    pattern: str
    scope: Scope
    session_id: str = ""
    """Session in which the user gave the grant; with the scope `session`, the only session where the grant holds."""
    roots: tuple[str, ...] = ()
    """Folders of the project, symlinks resolved; set with the scope `project`."""
    given: str = ""
    """Time of the grant, in UTC."""
    source: str = ""
    """File to which the grant is written; empty while the grant is only remembered."""

    @property
    def place(self) -> str:
        return self.source or "remembered until the daemon ends"

    def __str__(self) -> str:
        reason = f"you said always {_WHERE[self.scope]}"
        return f"`{self.permission}: {self.pattern}` -> allow ({reason}; {self.id}, {self.place})"


class Grants:
    """Grants that may hold in one workspace."""

    def __init__(
        self, file: GrantsFile | None = None, roots: Sequence[Path] = (), worktrees: Path | None = None
    ) -> None:
        """Create the grants; without a file every grant ends with the daemon.

        `worktrees` is the directory of Placet's worktrees (Locations.worktrees). Blocks.
        """
        self._file = file
        self._worktrees = worktrees
        self._roots, self._project = self._keys(roots)
        self._remembered: dict[str, Grant] = {}
        self._written: tuple[Grant, ...] = ()
        self._seen: State = None
        self.problem = ""
        """Reason why the file is not used; empty when the file is used."""

    def open_in(self, roots: Sequence[Path]) -> None:
        """Use the grants of these folders from now on. Blocks."""
        self._roots, self._project = self._keys(roots)
        self._remembered = {id: grant for id, grant in self._remembered.items() if grant.scope != "project"}
        self._seen, self._written = None, ()

    def _keys(self, roots: Sequence[Path]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the folders, and the folders of the project for which the folders stand: the same folders outside of
        Placet's worktrees.
        """
        folders = [real(root) for root in roots]
        own = tuple(sorted(folder.as_posix() for folder in folders))
        home = None if self._worktrees is None else real(self._worktrees)
        if home is None or not any(folder.is_relative_to(home) for folder in folders):
            return own, own
        from placet.worktrees.counterpart import counterpart  # No start outside of a worktree needs the module.

        return own, tuple(sorted(counterpart(home, folder).as_posix() for folder in folders))

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Scopes in which a permission can be granted, the shortest first."""
        return ("session",) if self._file is None or self.problem else ("session", "project", "user")

    def refresh(self) -> None:
        """Read the file again after a change; costs two system calls otherwise."""
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
        self._written = tuple(
            grant for grant in read if grant.scope == "user" or grant.roots in (self._roots, self._project)
        )

    async def add(self, permission: str, patterns: Iterable[str], *, scope: Scope, session_id: str) -> None:
        """Grant the patterns and, if the scope is longer than the session, write the grants to the file."""
        await self.write_down(self.remember(permission, patterns, scope=scope, session_id=session_id))

    def remember(self, permission: str, patterns: Iterable[str], *, scope: Scope, session_id: str) -> tuple[Grant, ...]:
        """Grant the patterns from now on; return the grants that are new. `write_down` makes the grants last."""
        moment = datetime.now(UTC).isoformat(timespec="seconds")
        roots = self._project if scope == "project" else ()
        existing = {(grant.permission, grant.pattern, grant.scope) for grant in self.holding(session_id)}
        added = tuple(
            Grant(new_id("grt"), permission, pattern, scope, session_id, roots, moment)
            for pattern in dict.fromkeys(patterns)
            if (permission, pattern, scope) not in existing
        )
        self._remembered |= {grant.id: grant for grant in added}
        return added

    async def write_down(self, grants: Iterable[Grant]) -> None:
        """Write the grants with a longer scope than the session to the file.

        After a failure to write, a grant holds until the daemon ends; the log gives the reason.
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
        """Return the latest grant for the pattern in the session, or None; no grant covers some commands."""
        if reason_not_granted(permission, pattern):
            return None
        for grant in self.holding(session_id):
            if grant.permission == permission and matches(grant.pattern, pattern):
                return grant
        return None

    def holding(self, session_id: str) -> Iterator[Grant]:
        """Yield all grants that hold in the session, the latest first, as the file was at the last look."""
        for grant in reversed((*self._written, *self._remembered.values())):
            if grant.scope != "session" or grant.session_id == session_id:
                yield grant

    def all(self) -> tuple[Grant, ...]:
        """Return the grants of every session, the oldest first."""
        return (*self._written, *self._remembered.values())

    async def revoke(self, grant_id: str) -> bool:
        """Revoke the grant; earlier actions stand. Return False if no grant has this id. Raises SettingsError."""
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
    """Return the grant of a record; GrantsFile has checked the record."""
    grant = Grant(record["id"], record["permission"], record["pattern"], record["scope"], source=source)
    given = record.get("given")
    return replace(
        grant,
        roots=tuple(sorted(record.get("roots") or ())) if grant.scope == "project" else (),
        given=given if isinstance(given, str) else "",
    )
