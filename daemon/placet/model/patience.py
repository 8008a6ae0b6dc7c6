"""How long the daemon waits for a model that says nothing, and what the user is told when that is over."""

import asyncio
from dataclasses import dataclass

from placet.errors import ModelError
from placet.model.host_life import Answer
from placet.settings import ModelSettings


@dataclass(slots=True)
class Patience:
    """The time limits of one answer; it begins with the first word of the host about it."""

    first_seconds: float
    idle_seconds: float
    first_setting: str = "idleTimeoutSeconds"
    """The one that says how long the beginning may take."""
    begun: bool = False

    @classmethod
    def of(cls, options: ModelSettings) -> "Patience":
        if options.first_byte_timeout_seconds is None:
            return cls(options.idle_timeout_seconds, options.idle_timeout_seconds)
        return cls(options.first_byte_timeout_seconds, options.idle_timeout_seconds, "firstByteTimeoutSeconds")

    async def next(self, answers: "asyncio.Queue[Answer]") -> Answer:
        """What the host says next. Raises ModelError("timeout")."""
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
                f"The model did not begin to answer in {self.first_seconds:g} seconds.",
                self.first_setting,
            )
        hint = f"Send the prompt again; or raise `modelOptions.{setting}` for a model that is that slow."
        return ModelError("timeout", message, hint=hint)
