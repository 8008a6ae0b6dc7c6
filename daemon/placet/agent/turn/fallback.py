"""Models which answer in a turn: the turn's own model, and the substitutes when this model cannot answer."""

from collections.abc import Sequence
from typing import assert_never

from msgspec import Struct, field

from placet.core.errors import ModelError, ModelErrorCode
from placet.core.events import Notice
from placet.model.base import Model


class FallbackChain(Struct):
    """Substitutes of a turn's model, in order; a substitute which took over answers until the turn ends."""

    fallback_models: Sequence[Model] = ()
    _taken: int = 0
    _failed: set[str] = field(default_factory=set[str])
    """Names of the models which failed for good."""

    def current(self, first: Model) -> Model:
        """Return the model which answers, where `first` is the turn's own model."""
        return self.fallback_models[self._taken - 1] if self._taken else first

    def after(self, error: ModelError, failed: Model, *, was_seen: bool = True) -> Model | None:
        """Return the model to try instead of the failed model, or None if no other model would help or none is left.

        `was_seen`: a model which has begun an answer has to end the answer, as the user has read the beginning.
        """
        if (was_seen and not error.before_first_delta) or not _another_may_do(error.code):
            return None
        self._failed.add(failed.id)
        for place, model in enumerate(self.fallback_models[self._taken :], start=self._taken + 1):
            if model.id not in self._failed:
                self._taken = place
                return model
        return None


def fallback_notice(turn_id: str, failed: Model, substitute: Model, error: ModelError) -> Notice:
    """Return the notice which tells the user of the substitute."""
    message = f"{substitute.id} answers instead of {failed.id}. {error.message}"
    hint = "The next turn starts with your model again."
    return Notice(turn_id=turn_id, code="fallback_model", message=message, hint=hint)


def _another_may_do(code: ModelErrorCode) -> bool:
    """Return whether the model or the provider is at fault. A wrong request, key or name is for the user to mend."""
    match code:
        case "rate_limit" | "overloaded" | "server_error" | "timeout" | "connection" | "interrupted" | "empty_answer":
            return True
        case "authentication" | "context_overflow" | "bad_request" | "not_found" | "no_model" | "host_died":
            return False
        case _:
            assert_never(code)
