"""Approver that is made by the first question: a turn that asks nothing loads nothing about asks."""

from collections.abc import Callable, Sequence

from placet.core.ports import Approver, PermissionAnswer, PermissionRequest, Question


def _nothing(request: PermissionRequest) -> None:
    pass


class DeferredApprover:
    """Implementation of placet.core.ports.Approver by the approver that `make` returns; lives as long as the
    services.
    """

    def __init__(
        self, make: Callable[[], Approver], on_request: Callable[[PermissionRequest], None] = _nothing
    ) -> None:
        """Create the approver; `on_request` is called with each request that is put to the user."""
        self._make = make
        self._on_request = on_request
        self._made: Approver | None = None

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        self._on_request(request)
        return await self._approver().request_permission(request)

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        return await self._approver().ask(session_id, questions)

    def _approver(self) -> Approver:
        if self._made is None:
            self._made = self._make()
        return self._made
