"""Limits of the daemon's wait for a silent model, and the message to the user after the wait."""

import asyncio

from msgspec import Struct

from placet.core.errors import ModelError
from placet.model.client.host_process import HostAnswer
from placet.settings import ModelSettings


class Timeouts(Struct):
    """Time limits of one answer; the answer begins with the host's first report about the answer."""

    first_seconds: float
    idle_seconds: float
    first_setting: str = "idleTimeoutSeconds"
    """Name of the setting which limits the wait for the beginning."""
    begun: bool = False

    @classmethod
    def of(cls, options: ModelSettings) -> "Timeouts":
        if options.first_byte_timeout_seconds is None:
            return cls(options.idle_timeout_seconds, options.idle_timeout_seconds)
        return cls(options.first_byte_timeout_seconds, options.idle_timeout_seconds, "firstByteTimeoutSeconds")

    async def next(self, answers: "asyncio.Queue[HostAnswer]") -> HostAnswer:
        """Return the host's next answer. Raises ModelError("timeout")."""
        try:
            async with asyncio.timeout(self.idle_seconds if self.begun else self.first_seconds):
                answer = await answers.get()
        except TimeoutError:
            raise self._timeout() from None
        self.begun = True
        return answer

    def _timeout(self) -> ModelError:
        if self.begun:
            message, setting = f"The model was silent for {self.idle_seconds:g} seconds.", "idleTimeoutSeconds"
        else:
            message, setting = (
                f"The model did not start to answer within {self.first_seconds:g} seconds.",
                self.first_setting,
            )
        hint = f"Send the prompt again, or raise `modelOptions.{setting}` for a slow model."
        return ModelError("timeout", message, hint=hint)
