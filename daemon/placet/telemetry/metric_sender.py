"""Thread that sends the metrics to the collector from time to time, and a last time at the end."""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence

from opentelemetry.sdk.metrics.export import Metric, MetricExporter, MetricsData, ResourceMetrics, ScopeMetrics
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from placet import __version__
from placet.telemetry import conventions as names

_EVERY_SECONDS = 60.0
"""Default of OTEL_METRIC_EXPORT_INTERVAL, as OpenTelemetry's specification says."""
_LONGEST_SECONDS = 3600.0
"""Longest interval: until they are collected, the measurements are kept one by one."""


class MetricSender:
    """Sender of the metrics of a process; the telemetry owns the object, which lives as long as its thread."""

    def __init__(
        self,
        collect: Callable[[], Sequence[Metric]],
        exporter: MetricExporter,
        resource: Resource,
        environment: Mapping[str, str],
    ) -> None:
        self._collect = collect
        self._exporter = exporter
        self._resource = resource
        self._scope = InstrumentationScope("placet", __version__, names.SCHEMA_URL)
        self._every = _seconds(environment.get("OTEL_METRIC_EXPORT_INTERVAL", ""))
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, name="telemetry metrics", daemon=True)
        self._thread.start()

    def shutdown(self) -> None:
        """Send the last metrics. Blocks until the collector has the metrics, or the exporter gives up."""
        self._ends.set()
        self._thread.join()
        self._exporter.shutdown()

    def _run(self) -> None:
        while not self._ends.wait(self._every):
            self._send()
        self._send()

    def _send(self) -> None:
        try:
            if metrics := self._collect():
                scopes = [ScopeMetrics(self._scope, metrics, names.SCHEMA_URL)]
                self._exporter.export(MetricsData([ResourceMetrics(self._resource, scopes, "")]))
        except Exception:  # The edge: the next metrics are sent whatever one exporter raises.
            logging.getLogger(__name__).exception("The telemetry lost metrics")


def _seconds(milliseconds: str) -> float:
    """Return the interval of the variable; a text that is no positive number counts as unset."""
    try:
        seconds = float(milliseconds) / 1000
    except ValueError:
        return _EVERY_SECONDS
    return min(seconds, _LONGEST_SECONDS) if seconds > 0 else _EVERY_SECONDS
