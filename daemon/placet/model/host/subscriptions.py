"""Tokens of subscriptions for the calls: renewed before the tokens run out, and once after a provider rejects a token.

Only this process reads the tokens for calls; the daemon never does.
"""

import asyncio
import os
from typing import TYPE_CHECKING

from placet.auth.subscriptions.names import is_covered
from placet.model.host.channel import EndGate
from placet.model.host.errors import HTTPStatusError
from placet.model.host.stored_keys import StoredKeys
from placet.settings.provider_keys import variables_of

if TYPE_CHECKING:
    from placet.auth.token_refresh import TokenRefresh

_REJECTED = 401


class Subscriptions:
    """Renewal of tokens. Belongs to one event loop, and lives as long as the host."""

    def __init__(self, keys: StoredKeys, gate: EndGate) -> None:
        self._keys = keys
        self._gate = gate
        self._renewals: set[asyncio.Task[bool]] = set()
        self._refresh: TokenRefresh | None = None

    async def prepare(self, model: str) -> None:
        """Renew the token for the model if the token runs out, and read the keys. Raises ModelError."""
        if is_covered(model):
            await self._renewed(model, None)
        await self._keys.refresh()

    async def has_renewed(self, model: str, error: Exception) -> bool:
        """Return whether a later request may succeed, because the rejected token was renewed. Raises ModelError."""
        if not is_covered(model) or _status(error) != _REJECTED:
            return False
        rejected = os.environ.get(variables_of(model.partition("/")[0])[0])
        if not rejected or not await self._renewed(model, rejected):
            return False
        await self._keys.refresh()
        return True

    async def _renewed(self, model: str, rejected: str | None) -> bool:
        if self._keys.file is None:
            return False
        if self._refresh is None:
            # Most hosts serve no subscription.
            from placet.auth.subscriptions.catalog import renewing
            from placet.auth.token_refresh import TokenRefresh
            from placet.model.host.http_client.token_requests import TokenRequests

            renew = renewing(TokenRequests(os.environ), os.environ)
            fixed = self._keys.fixed_variables
            self._refresh = TokenRefresh(self._keys.file, fixed, renew, of_subscriptions=True)
        # The renewal outlives a cancelled call, and holds the end of the process back.
        renewal = asyncio.create_task(self._held(self._refresh, model, rejected), name="renew a token")
        self._renewals.add(renewal)
        renewal.add_done_callback(self._renewals.discard)
        return await asyncio.shield(renewal)

    async def _held(self, refresh: "TokenRefresh", model: str, rejected: str | None) -> bool:
        """Renew without a cut by the end of the process: a refresh token may be valid once."""
        with self._gate.held():
            return await refresh.refresh(model, rejected=rejected)


def _status(error: BaseException) -> int | None:
    """Return the HTTP status with which the provider refused the request, by either way to the provider."""
    if isinstance(error, HTTPStatusError):
        return error.status_code
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None
