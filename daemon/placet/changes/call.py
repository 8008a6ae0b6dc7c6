"""Call whose changes go through the pipeline: the place of the changes in the session, and whom the pipeline tells."""

from collections.abc import Callable
from dataclasses import dataclass

from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.ledger import Ledger
from placet.core.events import Update
from placet.permissions.gate import Caller
from placet.project.paths import Workspace


@dataclass(frozen=True, slots=True)
class ChangingCall:
    """Tool call, or decision of the user, that changes files; lives until the tool or the decision is done."""

    caller: Caller
    turn_id: str
    ledger: Ledger
    emit: Callable[[Update], None]
    workspace: Workspace
    on_behalf_of: tuple[TurnRef, ...] = ()
    """Places of the sessions for which the session works in this turn."""

    @property
    def places(self) -> tuple[TurnRef, ...]:
        """Return the places where the changes count; the call's own place is the last."""
        return (*self.on_behalf_of, TurnRef(self.caller.session_id, self.turn_id, self.caller.message_id))
