"""What the user allowed with "always", and for whom.

Everything here is kept in memory and ends with the daemon. A grant for the project or the user holds for every
session of this front door until then; writing grants down is still to come.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from placet.permissions.rules import matches
from placet.ports import Scope


@dataclass(frozen=True, slots=True)
class Grant:
    permission: str
    pattern: str
    scope: Scope
    session_id: str
    """The session in which it was given; with the scope `session`, the only one where it holds."""

    def __str__(self) -> str:
        return f"`{self.permission}: {self.pattern}` -> allow (you said always, for this {self.scope})"


class Grants:
    def __init__(self) -> None:
        self._grants: dict[Grant, None] = {}

    def add(self, permission: str, patterns: Iterable[str], *, scope: Scope, session_id: str) -> None:
        self._grants |= {Grant(permission, pattern, scope, session_id): None for pattern in patterns}

    def find(self, permission: str, pattern: str, session_id: str) -> Grant | None:
        """The grant that allows it in the session, the latest first."""
        for grant in reversed(self._grants):
            holds = grant.scope != "session" or grant.session_id == session_id
            if holds and grant.permission == permission and matches(grant.pattern, pattern):
                return grant
        return None

    def of_session(self, session_id: str) -> tuple[Grant, ...]:
        """All that hold in the session."""
        return tuple(grant for grant in self._grants if grant.scope != "session" or grant.session_id == session_id)

    def revoke(self, grant: Grant) -> None:
        """Take it back; what was done under it stays."""
        self._grants.pop(grant, None)
