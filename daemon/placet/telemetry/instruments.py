"""Metrics of tokens, cost and durations."""

from collections.abc import Mapping

from opentelemetry.metrics import Meter

from placet.core.messages import Tokens
from placet.telemetry import conventions as names


class Instruments:
    """Instruments of a process; the telemetry owns the instruments."""

    def __init__(self, meter: Meter) -> None:
        self._tokens = meter.create_histogram(
            names.USED_TOKENS,
            "{token}",
            "Number of input and output tokens of a model call.",
            explicit_bucket_boundaries_advisory=names.TOKEN_BUCKETS,
        )
        self._cost = meter.create_counter(names.COST_TOTAL, "USD", "Cost of the model calls.")
        self._durations = {
            name: meter.create_histogram(
                name, "s", description, explicit_bucket_boundaries_advisory=names.SECONDS_BUCKETS
            )
            for name, description in (
                (names.OPERATION_DURATION, "Duration of a model call."),
                (names.TURN_DURATION, "Duration of a turn."),
                (names.TOOL_DURATION, "Duration of a tool call, with the wait for the user."),
                (names.PERMISSION_DURATION, "Wait for the user's answer to a request."),
            )
        }

    def spent(self, tokens: Tokens, cost: float, attributes: Mapping[str, str]) -> None:
        """Count the tokens and the cost of a model call."""
        read = tokens.input + tokens.cache_read + tokens.cache_write
        self._tokens.record(read, {**attributes, names.KIND_OF_TOKENS: "input"})
        self._tokens.record(tokens.output, {**attributes, names.KIND_OF_TOKENS: "output"})
        if cost:
            self._cost.add(cost, attributes)

    def took(self, name: str, seconds: float, attributes: Mapping[str, str]) -> None:
        """Record a duration in the metric of this name."""
        self._durations[name].record(seconds, attributes)
