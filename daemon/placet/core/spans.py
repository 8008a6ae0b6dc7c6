"""Spans of work that no event of a session tells, such as the start of a helper process; free while nothing traces."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol


class SpanTracer(Protocol):
    """Receiver of spans: the telemetry, while telemetry is on."""

    def span(self, name: str, attributes: Mapping[str, str]) -> AbstractContextManager[object]:
        """Return the context of a span below the current span of the task. An error in the context fails the span."""
        ...


_tracers: list[SpanTracer] = []
_OFF = nullcontext()


def trace_with(tracer: SpanTracer) -> None:
    """Let the tracer receive the spans of this process from now on."""
    _tracers[:] = [tracer]


def stop_tracing(tracer: SpanTracer) -> None:
    """Let the tracer receive no further spans."""
    if tracer in _tracers:
        _tracers.remove(tracer)


def span(name: str, **attributes: str) -> AbstractContextManager[object]:
    """Return the context of a span with the name `placet.NAME`; the context does nothing while nothing traces."""
    return _tracers[0].span(f"placet.{name}", attributes) if _tracers else _OFF
