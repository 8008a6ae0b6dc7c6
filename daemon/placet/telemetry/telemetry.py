"""Telemetry of a process: the providers of OpenTelemetry, the spans of sessions, questions and helper processes."""

import asyncio
import logging
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol
from urllib.parse import urlsplit

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics.export import AggregationTemporality
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.util.re import parse_env_headers

from placet import __version__
from placet.core.ports import Approver, PermissionAnswer, PermissionRequest, Question
from placet.core.spans import stop_tracing, trace_with
from placet.settings.telemetry import TelemetrySettings
from placet.telemetry import conventions as names
from placet.telemetry.instruments import Instruments
from placet.telemetry.metric_sender import MetricSender
from placet.telemetry.session_spans import SessionSpans
from placet.telemetry.spans import OpenSpan, Spans

CLOSE_SECONDS = 3.0
"""Longest wait for a collector at the end of the process."""


class _Sender(Protocol):
    """Part of the telemetry that sends what is left at its end."""

    def shutdown(self) -> None: ...


class Telemetry:
    """Telemetry of a process, owned by the services; `spans` takes the events of sessions."""

    def __init__(self, spans: Spans, instruments: Instruments, senders: Sequence[_Sender], *, content: bool) -> None:
        self._spans = spans
        self._instruments = instruments
        self._senders = senders
        self.spans = SessionSpans(spans, instruments, content=content)
        trace_with(self)

    def span(self, name: str, attributes: Mapping[str, str]) -> AbstractContextManager[OpenSpan]:
        """Return the context of a span, as core.spans.SpanTracer says."""
        return self._spans.spanned(name, attributes)

    def watched(self, approver: Approver) -> Approver:
        """Return the approver with a span for each wait for the user."""
        return _WatchedApprover(approver, self._spans, self._instruments)

    async def close(self) -> None:
        """Send the last spans and metrics; a silent collector is given up after a few seconds."""
        stop_tracing(self)
        done, loop = asyncio.Event(), asyncio.get_running_loop()

        def close() -> None:
            for sender in self._senders:
                sender.shutdown()
            if not loop.is_closed():
                loop.call_soon_threadsafe(done.set)

        # A thread that no exit of the process waits for.
        threading.Thread(target=close, name="telemetry", daemon=True).start()
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await done.wait()
        except TimeoutError:
            logging.getLogger(__name__).info("The collector did not take the last spans")


def open_telemetry(settings: TelemetrySettings, environment: Mapping[str, str]) -> Telemetry:
    """Return the telemetry to the endpoint of the settings, with the headers of the environment.

    The provider of tracers becomes the provider of the process: the MCP SDK's spans and `traceparent` join the traces.
    """
    assert settings.endpoint is not None
    # One line of a fault is enough; the exporter says each attempt.
    logging.getLogger("opentelemetry").setLevel(logging.ERROR)
    resource = Resource.create({"service.name": "placet", "service.version": __version__})
    tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
    headers = _headers(environment, "TRACES")
    processor = BatchSpanProcessor(
        OTLPSpanExporter(_address(settings.endpoint, environment, "TRACES"), headers=headers)
    )
    tracers.add_span_processor(processor)
    trace.set_tracer_provider(tracers)
    headers = _headers(environment, "METRICS")
    exporter = OTLPMetricExporter(_address(settings.endpoint, environment, "METRICS"), headers=headers)
    instruments = Instruments(_temporality(environment))
    metrics = MetricSender(instruments.collect, exporter, resource, environment)
    return Telemetry(Spans(tracers, processor), instruments, (tracers, metrics), content=settings.content)


def _temporality(environment: Mapping[str, str]) -> AggregationTemporality:
    """Return the temporality of histograms and counters, as the specification of the OTLP metrics exporter says."""
    preferred = environment.get("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "").strip().upper()
    is_delta = preferred in ("DELTA", "LOWMEMORY")
    return AggregationTemporality.DELTA if is_delta else AggregationTemporality.CUMULATIVE


def _address(endpoint: str, environment: Mapping[str, str], signal: str) -> str:
    """Return the address of a signal (TRACES, METRICS), as OTLP's specification says."""
    own = environment.get(f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT")
    address = urlsplit(endpoint)
    return own or address._replace(path=f"{address.path.rstrip('/')}/v1/{signal.lower()}").geturl()


def _headers(environment: Mapping[str, str], signal: str) -> Mapping[str, str]:
    """Return the headers of a signal. Such headers hold keys, and are in no environment of a tool."""
    variables = (environment.get(f"OTEL_EXPORTER_OTLP_{part}HEADERS") for part in (f"{signal}_", ""))
    return parse_env_headers(next((value for value in variables if value), ""), liberal=True)


class _WatchedApprover:
    """Implementation of ports.Approver with a span for each wait; lives as long as the services."""

    def __init__(self, approver: Approver, spans: Spans, instruments: Instruments) -> None:
        self._approver = approver
        self._spans = spans
        self._instruments = instruments

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        attributes = {names.PERMISSION: request.permission}
        began = time.monotonic()
        with self._spans.spanned("placet.permission", attributes, current=True) as span:
            try:
                answer = await self._approver.request_permission(request)
                span.attributes[names.OUTCOME] = answer.outcome
                return answer
            finally:
                self._instruments.took(names.PERMISSION_DURATION, time.monotonic() - began, attributes)

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        with self._spans.spanned("placet.question", {}, current=True):
            return await self._approver.ask(session_id, questions)
