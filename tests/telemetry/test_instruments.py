"""Metrics, summed up from measurements."""

from opentelemetry.sdk.metrics.export import AggregationTemporality, Histogram, HistogramDataPoint, Metric, Sum

from placet.core.messages import Tokens
from placet.telemetry import conventions as names
from placet.telemetry.instruments import Instruments

CHAT = {"gen_ai.operation.name": "chat"}
READ = {"gen_ai.tool.name": "read"}


def metric(metrics: list[Metric], name: str) -> Metric:
    (found,) = [metric for metric in metrics if metric.name == name]
    return found


def points(metrics: list[Metric], name: str) -> list[HistogramDataPoint]:
    data = metric(metrics, name).data
    assert isinstance(data, Histogram)
    return list(data.data_points)


def cost(metrics: list[Metric]) -> float:
    data = metric(metrics, names.COST_TOTAL).data
    assert isinstance(data, Sum)
    (point,) = data.data_points
    return point.value


def measured(instruments: Instruments) -> list[Metric]:
    instruments.spent(Tokens(input=3, cache_read=4, output=5), 0.5, CHAT)
    instruments.took(names.TOOL_DURATION, 0.01, READ)
    instruments.took(names.TOOL_DURATION, 0.5, READ)
    return instruments.collect()


def test_measurements_of_equal_attributes_are_one_point() -> None:
    (point,) = points(measured(Instruments()), names.TOOL_DURATION)
    assert (point.count, point.sum, point.min, point.max) == (2, 0.51, 0.01, 0.5)
    assert point.attributes == READ


def test_a_value_on_a_boundary_is_in_the_bucket_below_the_boundary() -> None:
    (point,) = points(measured(Instruments()), names.TOOL_DURATION)
    assert point.explicit_bounds[0] == 0.01
    assert [number for number, count in enumerate(point.bucket_counts) if count] == [0, 6]
    assert len(point.bucket_counts) == len(point.explicit_bounds) + 1


def test_cached_tokens_count_as_input() -> None:
    tokens = {
        (point.attributes or {})["gen_ai.token.type"]: point.sum
        for point in points(measured(Instruments()), names.USED_TOKENS)
    }
    assert tokens == {"input": 7, "output": 5}


def test_cumulative_metrics_grow_from_one_collection_to_the_next() -> None:
    instruments = Instruments()
    first, second = measured(instruments), measured(instruments)
    assert (cost(first), cost(second)) == (0.5, 1.0)
    (earlier,), (later,) = points(first, names.TOOL_DURATION), points(second, names.TOOL_DURATION)
    assert later.count == 4
    assert later.start_time_unix_nano == earlier.start_time_unix_nano


def test_delta_metrics_hold_the_measurements_since_the_last_collection() -> None:
    instruments = Instruments(AggregationTemporality.DELTA)
    first, second = measured(instruments), measured(instruments)
    assert (cost(first), cost(second)) == (0.5, 0.5)
    (earlier,), (later,) = points(first, names.TOOL_DURATION), points(second, names.TOOL_DURATION)
    assert later.count == 2
    assert later.start_time_unix_nano == earlier.time_unix_nano
    assert instruments.collect() == []


def test_an_instrument_without_a_measurement_is_not_sent() -> None:
    assert Instruments().collect() == []
