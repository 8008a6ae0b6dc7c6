"""Renewal of keys which run out, before a request needs the keys: once for all callers, in this and other processes."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from placet.auth.keys import JsonObject, KeyStore, SignIn
from placet.core.errors import ModelError, PlacetError
from placet.core.executor import in_own_thread, in_thread
from placet.core.values import replace
from placet.project.file_lock import awaited_lock
from placet.project.processes.process_secrets import hide_memory
from placet.settings.provider_keys import variables_of

EARLY_SECONDS = 60.0
"""Seconds before the end of a key from which the key counts as run out: a request needs time to arrive."""
RENEW_SECONDS = 30.0
"""Seconds for a renewal: for a plugin from the start of its process to the store."""

Renew = Callable[[SignIn, JsonObject], Awaitable[JsonObject]]
"""Function which returns new `access`, `refresh` and `expires`, and other kept values. Raises PlacetError."""


class TokenRefresh:
    """Sign-ins of a key store. Belongs to one event loop."""

    def __init__(
        self,
        keys: Path | None,
        environment: Collection[str],
        renew: Renew | None = None,
        *,
        of_subscriptions: bool = False,
    ) -> None:
        """Create the refresh of the keys in the file `keys`.

        `environment`: the variables which are set there and outweigh the key store. `renew`: function which renews a
        key; without the function a key which has run out stays. The keys are those of plugins, or those of
        subscriptions.
        """
        self._of_subscriptions = of_subscriptions
        self._store = None if keys is None else KeyStore(keys)
        self._environment = environment
        self._renewals: dict[str, asyncio.Task[ModelError | None]] = {}
        self._renew = renew
        self.timeout_seconds = RENEW_SECONDS
        self.close_seconds = 2.0
        """Seconds for a running renewal at the end."""

    async def refresh(self, model: str, *, variables: tuple[str, ...] = (), rejected: str | None = None) -> bool:
        """Renew the key for the model if the key has run out, or if the stored key is still the `rejected` key.

        `variables`: the variables of the key, if these are not the variables of the model's provider.

        Return True if the key was renewed, here or elsewhere. Raises ModelError, mostly "authentication".
        """
        if self._store is None or self._renew is None:
            return False
        variables = variables or variables_of(model.partition("/")[0])
        variable = await in_thread(self._due, self._store, variables, rejected is not None)
        if variable is None:
            return False
        renewal = self._renewals.get(variable)
        if renewal is None:
            work = self._renewed(self._store, self._renew, variable, rejected)
            renewal = asyncio.create_task(work, name="renew a key")
            self._renewals[variable] = renewal
            renewal.add_done_callback(lambda _: self._renewals.pop(variable))
        # A user who stops a turn must not stop the refresh: a refreshed token may be valid once, and other turns wait
        # for it.
        if (error := await asyncio.shield(renewal)) is not None:
            raise ModelError(error.code, error.message, hint=error.hint)
        return True

    async def close(self) -> None:
        """Let running renewals come to an end, for a short while."""
        if renewals := list(self._renewals.values()):
            await asyncio.wait(renewals, timeout=self.close_seconds)
            for renewal in renewals:
                renewal.cancel()
            await asyncio.gather(*renewals, return_exceptions=True)

    def _due(self, store: KeyStore, variables: tuple[str, ...], is_rejected: bool) -> str | None:
        """Return the variable of the key for the model if the key may have to be renewed, or None. Blocks."""
        try:
            sign_ins = store.sign_ins()
        except PlacetError:
            return None  # The host reports the fault of the file.
        if any(variable in self._environment for variable in variables):
            return None
        ours = {name: entry for name, entry in sign_ins.items() if entry.is_subscription == self._of_subscriptions}
        due = (variable for variable in variables if variable in ours and (is_rejected or _is_over(ours[variable])))
        return next(due, None)

    async def _renewed(self, store: KeyStore, renew: Renew, variable: str, rejected: str | None) -> ModelError | None:
        """Renew the key; return an error with the reason if the renewal failed."""
        provider = variable
        try:
            async with asyncio.timeout(self.timeout_seconds), _alone(store, variable):
                before = (await in_thread(store.sign_ins)).get(variable)
                if before is None or not (rejected is not None or _is_over(before)):
                    return None  # Another process has refreshed the login, or the user has signed in anew or out.
                provider = before.provider
                hide_memory()
                tokens = await in_own_thread(store.tokens, variable)
                if rejected is not None and tokens["access"] != rejected:
                    return None  # As above.
                tokens = {**tokens, **await renew(before, tokens)}
                after = replace(before, expires=tokens["expires"])
                await in_own_thread(store.renew_sign_in, variable, before, after, tokens)
                return None
        except TimeoutError:
            reason = f"the refresh took longer than {self.timeout_seconds:g} seconds."
        except ModelError as error:
            return error
        except (PlacetError, OSError) as error:
            reason = str(error)
        message = f"The sign-in to {provider} has expired and was not refreshed: {reason}"
        return ModelError("authentication", message, hint=f"Sign in again: `placet auth login {provider}`.")


def _is_over(sign_in: SignIn) -> bool:
    return sign_in.expires - EARLY_SECONDS < time.time()


def _alone(store: KeyStore, variable: str) -> AbstractAsyncContextManager[None]:
    """Lock among all processes: a second renewal with the same token may lose the sign-in. Raises OSError."""
    return awaited_lock(store.file.with_name(f"{store.file.stem}-{variable}.lock"))
