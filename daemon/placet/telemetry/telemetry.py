"""Telemetry of a process: the providers of OpenTelemetry, the spans of sessions, questions and helper processes."""

import asyncio
import logging
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from urllib.parse import urlsplit

from opentelemetry import metrics, trace
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Status, StatusCode, Tracer
from opentelemetry.util.re import parse_env_headers

from placet import __version__
from placet.core.ports import Approver, PermissionAnswer, PermissionRequest, Question
from placet.core.spans import stop_tracing, trace_with
from placet.settings.telemetry import TelemetrySettings
from placet.telemetry import conventions as names
from placet.telemetry.instruments import Instruments
from placet.telemetry.session_spans import SessionSpans

CLOSE_SECONDS = 3.0
"""Longest wait for a collector at the end of the process."""


class Telemetry:
    """Telemetry of a process, owned by the services; `spans` takes the events of sessions."""

    def __init__(self, tracers: TracerProvider, meters: MeterProvider, *, content: bool) -> None:
        self._providers = (tracers, meters)
        self._tracer = tracers.get_tracer("placet", __version__, schema_url=names.SCHEMA_URL)
        meter = meters.get_meter("placet", __version__, schema_url=names.SCHEMA_URL)
        self._instruments = Instruments(meter)
        self.spans = SessionSpans(self._tracer, self._instruments, content=content)
        trace_with(self)

    def span(self, name: str, attributes: Mapping[str, str]) -> AbstractContextManager[None]:
        """Return the context of a span, as core.spans.SpanTracer says."""
        return _spanned(self._tracer, name, attributes)

    def watched(self, approver: Approver) -> Approver:
        """Return the approver with a span for each wait for the user."""
        return _WatchedApprover(approver, self._tracer, self._instruments)

    async def close(self) -> None:
        """Send the last spans and metrics; a silent collector is given up after a few seconds."""
        stop_tracing(self)
        done, loop = asyncio.Event(), asyncio.get_running_loop()

        def close() -> None:
            for provider in self._providers:
                provider.shutdown()
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

    The providers become the providers of the process: the MCP SDK's spans and `traceparent` join the traces.
    """
    assert settings.endpoint is not None
    # One line of a fault is enough; the exporter says each attempt.
    logging.getLogger("opentelemetry").setLevel(logging.ERROR)
    resource = Resource.create({"service.name": "placet", "service.version": __version__})
    tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
    headers = _headers(environment, "TRACES")
    exporter = OTLPSpanExporter(_address(settings.endpoint, environment, "TRACES"), headers=headers)
    tracers.add_span_processor(BatchSpanProcessor(exporter))
    headers = _headers(environment, "METRICS")
    meter_exporter = OTLPMetricExporter(_address(settings.endpoint, environment, "METRICS"), headers=headers)
    meters = MeterProvider([PeriodicExportingMetricReader(meter_exporter)], resource, shutdown_on_exit=False)
    trace.set_tracer_provider(tracers)
    metrics.set_meter_provider(meters)
    return Telemetry(tracers, meters, content=settings.content)


def _address(endpoint: str, environment: Mapping[str, str], signal: str) -> str:
    """Return the address of a signal (TRACES, METRICS), as OTLP's specification says."""
    own = environment.get(f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT")
    address = urlsplit(endpoint)
    return own or address._replace(path=f"{address.path.rstrip('/')}/v1/{signal.lower()}").geturl()


def _headers(environment: Mapping[str, str], signal: str) -> Mapping[str, str]:
    """Return the headers of a signal. Such headers hold keys, and are in no environment of a tool."""
    variables = (environment.get(f"OTEL_EXPORTER_OTLP_{part}HEADERS") for part in (f"{signal}_", ""))
    return parse_env_headers(next((value for value in variables if value), ""), liberal=True)


@contextmanager
def _spanned(tracer: Tracer, name: str, attributes: Mapping[str, str]) -> Generator[None]:
    # The span does not become the current span: an async generator may end in another context than it began in.
    span = tracer.start_span(name, attributes=attributes)
    try:
        yield
    except GeneratorExit:  # The reader of a stream has seen enough.
        raise
    except BaseException as error:
        span.set_attribute(names.ERROR_TYPE, type(error).__name__)
        span.set_status(Status(StatusCode.ERROR))
        raise
    finally:
        span.end()


class _WatchedApprover:
    """Implementation of ports.Approver with a span for each wait; lives as long as the services."""

    def __init__(self, approver: Approver, tracer: Tracer, instruments: Instruments) -> None:
        self._approver = approver
        self._tracer = tracer
        self._instruments = instruments

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        attributes = {names.PERMISSION: request.permission}
        began = time.monotonic()
        with self._tracer.start_as_current_span(
            "placet.permission", attributes=attributes, record_exception=False
        ) as span:
            try:
                answer = await self._approver.request_permission(request)
                span.set_attribute(names.OUTCOME, answer.outcome)
                return answer
            finally:
                self._instruments.took(names.PERMISSION_DURATION, time.monotonic() - began, attributes)

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        with self._tracer.start_as_current_span("placet.question", record_exception=False):
            return await self._approver.ask(session_id, questions)
