"""A collector of OpenTelemetry on 127.0.0.1, which decodes the protobuf of OTLP."""

import gzip
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(slots=True)
class Span:
    name: str
    trace_id: str
    id: str
    parent_id: str
    kind: int
    attributes: dict[str, Any]
    start: int
    end: int
    is_failed: bool
    scope: str
    schema_url: str


@dataclass(slots=True)
class Metric:
    name: str
    unit: str
    attributes: dict[str, Any]
    sum: float
    count: int
    is_delta: bool


@dataclass(slots=True)
class Collector:
    address: str
    spans: list[Span] = field(default_factory=list)
    metrics: list[Metric] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    def span(self, name: str) -> Span:
        (span,) = [span for span in self.spans if span.name == name]
        return span

    def spans_named(self, prefix: str) -> list[Span]:
        return sorted((span for span in self.spans if span.name.startswith(prefix)), key=lambda span: span.start)

    def parent(self, span: Span) -> Span | None:
        return next((parent for parent in self.spans if parent.id == span.parent_id), None)

    def path(self, span: Span) -> list[str]:
        """The names from the root to the span."""
        parent = self.parent(span)
        return [*([] if parent is None else self.path(parent)), span.name]

    def metrics_named(self, name: str) -> list[Metric]:
        return [metric for metric in self.metrics if metric.name == name]

    def take(self, path: str, body: bytes) -> None:
        if path.endswith("/v1/traces"):
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    self.spans += [_span(span, scope.scope.name, scope.schema_url) for span in scope.spans]
        elif path.endswith("/v1/metrics"):
            for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                for scope in resource.scope_metrics:
                    for metric in scope.metrics:
                        self.metrics += _metrics(metric)
        else:
            raise AssertionError(path)


@contextmanager
def collector() -> Generator[Collector]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            collected.headers.append({name.lower(): value for name, value in self.headers.items()})
            collected.bodies.append(body)
            collected.take(self.path, body)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collected = Collector(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield collected
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _span(span: Any, scope: str, schema_url: str) -> Span:
    return Span(
        span.name,
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        span.kind,
        _attributes(span.attributes),
        span.start_time_unix_nano,
        span.end_time_unix_nano,
        span.status.code == 2,
        scope,
        schema_url,
    )


def _metrics(metric: Any) -> list[Metric]:
    is_delta = getattr(metric, metric.WhichOneof("data")).aggregation_temporality == 1
    if metric.HasField("histogram"):
        return [
            Metric(metric.name, metric.unit, _attributes(point.attributes), point.sum, point.count, is_delta)
            for point in metric.histogram.data_points
        ]
    return [
        Metric(metric.name, metric.unit, _attributes(point.attributes), point.as_double or point.as_int, 1, is_delta)
        for point in metric.sum.data_points
    ]


def _attributes(attributes: Any) -> dict[str, Any]:
    return {attribute.key: _value(attribute.value) for attribute in attributes}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    return [_value(item) for item in value.array_value.values] if kind == "array_value" else getattr(value, kind)
