"""Metrics of tokens, cost and durations: a measurement costs the step an append, and the sender's thread sums up.

An instrument of the SDK costs the step eight microseconds for a measurement.
"""

import time
from bisect import bisect_left
from collections import deque
from collections.abc import Mapping, Sequence

from msgspec import Struct
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Histogram,
    HistogramDataPoint,
    Metric,
    NumberDataPoint,
    Sum,
)

from placet.core.messages import Tokens
from placet.telemetry import conventions as names

Attributes = tuple[tuple[str, str], ...]
"""Attributes of a measurement, as pairs in the order of the maker."""


class _Series(Struct):
    """Measurements of equal attributes; `counts` has a number for each bucket."""

    counts: list[int]
    sum: float = 0
    smallest: float = float("inf")
    largest: float = float("-inf")


class _Histogram:
    def __init__(self, name: str, unit: str, description: str, bounds: Sequence[float]) -> None:
        self._name, self._unit, self._description, self._bounds = name, unit, description, bounds
        self._series: dict[Attributes, _Series] = {}

    def record(self, value: float, attributes: Attributes) -> None:
        series = self._series.get(attributes)
        if series is None:
            series = self._series[attributes] = _Series([0] * (len(self._bounds) + 1))
        series.counts[bisect_left(self._bounds, value)] += 1
        series.sum += value
        series.smallest = min(series.smallest, value)
        series.largest = max(series.largest, value)

    def collect(self, began: int, now: int, temporality: AggregationTemporality) -> Metric | None:
        if not self._series:
            return None
        points = [
            HistogramDataPoint(
                attributes=dict(attributes),
                start_time_unix_nano=began,
                time_unix_nano=now,
                count=sum(series.counts),
                sum=series.sum,
                bucket_counts=tuple(series.counts),
                explicit_bounds=self._bounds,
                min=series.smallest,
                max=series.largest,
            )
            for attributes, series in self._series.items()
        ]
        if temporality is AggregationTemporality.DELTA:
            self._series.clear()
        return Metric(self._name, self._description, self._unit, Histogram(points, temporality))


class Instruments:
    """Instruments of a process, owned by the telemetry. Each thread may measure; the sender's thread alone collects."""

    def __init__(self, temporality: AggregationTemporality = AggregationTemporality.CUMULATIVE) -> None:
        self._temporality = temporality
        self._began = time.time_ns()
        self._spent: deque[tuple[Tokens, float, Mapping[str, str]]] = deque()
        self._taken: deque[tuple[str, float, Mapping[str, str]]] = deque()
        self._cost: dict[Attributes, float] = {}
        self._tokens = _Histogram(
            names.USED_TOKENS, "{token}", "Number of input and output tokens of a model call.", names.TOKEN_BUCKETS
        )
        self._durations = {
            name: _Histogram(name, "s", description, names.SECONDS_BUCKETS)
            for name, description in (
                (names.OPERATION_DURATION, "Duration of a model call."),
                (names.TURN_DURATION, "Duration of a turn."),
                (names.TOOL_DURATION, "Duration of a tool call, with the wait for the user."),
                (names.PERMISSION_DURATION, "Wait for the user's answer to a request."),
            )
        }

    def spent(self, tokens: Tokens, cost: float, attributes: Mapping[str, str]) -> None:
        """Count the tokens and the cost of a model call. Nobody changes the attributes afterwards."""
        self._spent.append((tokens, cost, attributes))

    def took(self, name: str, seconds: float, attributes: Mapping[str, str]) -> None:
        """Record a duration in the metric of this name. Nobody changes the attributes afterwards."""
        self._taken.append((name, seconds, attributes))

    def collect(self) -> list[Metric]:
        """Return the metrics with a measurement; of the delta temporality, the measurements since the last call."""
        self._sum_up()
        now = time.time_ns()
        histograms = (self._tokens, *self._durations.values())
        metrics = [histogram.collect(self._began, now, self._temporality) for histogram in histograms]
        metrics.append(self._collect_cost(now))
        if self._temporality is AggregationTemporality.DELTA:
            self._began = now
        return [metric for metric in metrics if metric is not None]

    def _sum_up(self) -> None:
        while self._spent:
            tokens, cost, attributes = self._spent.popleft()
            pairs = tuple(attributes.items())
            read = tokens.input + tokens.cache_read + tokens.cache_write
            self._tokens.record(read, (*pairs, (names.KIND_OF_TOKENS, "input")))
            self._tokens.record(tokens.output, (*pairs, (names.KIND_OF_TOKENS, "output")))
            if cost:
                self._cost[pairs] = self._cost.get(pairs, 0.0) + cost
        while self._taken:
            name, seconds, attributes = self._taken.popleft()
            self._durations[name].record(seconds, tuple(attributes.items()))

    def _collect_cost(self, now: int) -> Metric | None:
        if not self._cost:
            return None
        points = [NumberDataPoint(dict(pairs), self._began, now, cost) for pairs, cost in self._cost.items()]
        if self._temporality is AggregationTemporality.DELTA:
            self._cost.clear()
        total = Sum(points, self._temporality, is_monotonic=True)
        return Metric(names.COST_TOTAL, "Cost of the model calls.", "USD", total)
