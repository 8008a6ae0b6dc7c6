"""Retries of a failed call to the model: the decision, and the wait before the next attempt. Pure."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from random import random
from typing import assert_never

from msgspec import Struct

from placet.core.errors import ModelError, ModelErrorCode

MOST_ATTEMPTS = 4
FIRST_WAIT_SECONDS = 2.0
LONGEST_OWN_WAIT_SECONDS = 30.0
"""Maximum wait for which the provider has not asked."""


class Again(Struct, frozen=True):
    wait_seconds: float


class GiveUp(Struct, frozen=True):
    error: ModelError
    """Error with which the turn ends."""


def after_failures(
    failures: Sequence[ModelError],
    *,
    longest_wait_seconds: float,
    chance: Callable[[], float] = random,
    clock: Callable[[], datetime] = lambda: datetime.now().astimezone(),
) -> Again | GiveUp:
    """Return the next step after the failures of a call so far, oldest first; at least one failure.

    The wait is the provider's own if the provider gives a wait; else 2, 4, 8 … seconds, of which chance takes up to a
    half. Placet does not wait for a provider which wants longer than `longest_wait_seconds`; if this is 0, nothing is
    tried again.
    """
    last = failures[-1]
    if len(failures) >= _most_attempts(last.code, failures) or not last.before_first_delta or not longest_wait_seconds:
        return GiveUp(_counted(last, len(failures)))
    if last.retry_after is None:
        longest = min(FIRST_WAIT_SECONDS * 2 ** (len(failures) - 1), LONGEST_OWN_WAIT_SECONDS, longest_wait_seconds)
        return Again(longest * (1 - chance() / 2))
    if last.retry_after > longest_wait_seconds:
        return GiveUp(_too_long(last, last.retry_after, clock()))
    return Again(max(0.0, last.retry_after))


def _most_attempts(code: ModelErrorCode, failures: Sequence[ModelError]) -> int:
    """Return the maximum number of attempts in all for a call which fails with this code."""
    match code:
        case "rate_limit" | "overloaded" | "server_error" | "timeout" | "connection":
            return MOST_ATTEMPTS
        case "host_died" | "empty_answer":
            # These errors mostly come again: one more attempt for each kind, within the same bound.
            seen = Counter(failure.code for failure in failures)[code]
            return MOST_ATTEMPTS if seen == 1 else 0
        case "authentication" | "context_overflow" | "bad_request" | "not_found" | "interrupted" | "no_model":
            return 1
        case _:
            assert_never(code)


def _counted(error: ModelError, attempts: int) -> ModelError:
    return error if attempts == 1 else _changed(error, f"{error.message} (Placet tried {attempts} times.)", error.hint)


def _too_long(error: ModelError, wait_seconds: float, current_time: datetime) -> ModelError:
    at = current_time + timedelta(seconds=wait_seconds)
    moment = f"{at:%H:%M}" if at.date() == current_time.date() else f"{at:%Y-%m-%d %H:%M}"
    hint = (
        f"{error.hint} The provider asks to wait {_in_words(wait_seconds)}: prompt again after {moment}. "
        "`modelOptions.maxRetryWaitSeconds` limits the wait of Placet itself."
    )
    return _changed(error, error.message, hint.strip())


def _in_words(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.0f} hours"


def _changed(error: ModelError, message: str, hint: str) -> ModelError:
    return ModelError(
        error.code,
        message,
        hint=hint,
        status=error.status,
        retry_after=error.retry_after,
        before_first_delta=error.before_first_delta,
    )
