"""Spans as plain values: a span costs the step a few microseconds, and the exporter's thread does the rest.

The span of the SDK validates and locks at each attribute, which costs ten times as much.
"""

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager

from msgspec import Struct
from opentelemetry import context as contexts
from opentelemetry.attributes import BoundedAttributes
from opentelemetry.context import Context
from opentelemetry.sdk.trace import Event, ReadableSpan, SpanLimits, SpanProcessor, TracerProvider
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    get_current_span,
    set_span_in_context,
)
from opentelemetry.util.types import Attributes

from placet import __version__
from placet.telemetry import conventions as names

Attribute = str | int | float | Sequence[str]

_UNSET = Status(StatusCode.UNSET)
_FAILED = Status(StatusCode.ERROR)


class OpenSpan(Struct):
    """Span of work that goes on. `outer` is the context from before the span, which counts again afterwards."""

    name: str
    kind: SpanKind
    context: SpanContext
    parent: SpanContext | None
    outer: Context
    attributes: dict[str, Attribute]
    began_nanoseconds: int
    events: tuple[Event, ...] = ()
    status: Status = _UNSET

    def fail(self, error: str) -> None:
        """Mark the span as failed with this type of error."""
        self.attributes[names.ERROR_TYPE] = error
        self.status = _FAILED


class Spans:
    """Maker of the spans of a process; the telemetry owns the object."""

    def __init__(self, tracers: TracerProvider, processor: SpanProcessor) -> None:
        """Create the maker; the processor gets the ended spans."""
        self._scope = InstrumentationScope("placet", __version__, names.SCHEMA_URL)
        self._tracer = tracers.get_tracer(self._scope.name, self._scope.version, schema_url=names.SCHEMA_URL)
        self._new_id = tracers.id_generator.generate_span_id
        self._resource = tracers.resource
        self._processor = processor
        self._longest = SpanLimits().max_span_attribute_length

    def start(
        self, name: str, kind: SpanKind, attributes: Mapping[str, Attribute], above: SpanContext | None = None
    ) -> OpenSpan:
        """Return a new span below the span `above`, or else below the current span of the task.

        The sampler is asked about a trace, and not about each span.
        """
        outer = contexts.get_current()
        if above is None:
            above = get_current_span(outer).get_span_context()
        if above.is_valid:
            context = SpanContext(above.trace_id, self._new_id(), False, above.trace_flags, above.trace_state)
            return OpenSpan(name, kind, context, above, outer, dict(attributes), time.time_ns())
        # Only the identity is taken from the SDK's span.
        context = self._tracer.start_span(name, outer, kind, attributes).get_span_context()
        return OpenSpan(name, kind, context, None, outer, dict(attributes), time.time_ns())

    def enter(self, span: OpenSpan) -> None:
        """Make the span the current span of the task, for the spans of the work below."""
        contexts.attach(set_span_in_context(NonRecordingSpan(span.context), span.outer))

    def leave(self, span: OpenSpan) -> None:
        """Make the span from before the current span of the task again."""
        contexts.attach(span.outer)

    def end(self, span: OpenSpan) -> None:
        """Hand the span to the processor, which drops the spans of a trace that the sampler did not take."""
        attributes: Attributes = span.attributes
        if self._longest is not None:
            attributes = BoundedAttributes(attributes=attributes, max_value_len=self._longest)
        self._processor.on_end(
            ReadableSpan(
                span.name,
                span.context,
                span.parent,
                self._resource,
                attributes,
                span.events,
                kind=span.kind,
                status=span.status,
                start_time=span.began_nanoseconds,
                end_time=time.time_ns(),
                instrumentation_scope=self._scope,
            )
        )

    @contextmanager
    def spanned(self, name: str, attributes: Mapping[str, str], *, current: bool = False) -> Generator[OpenSpan]:
        """Return the context of a span; `current` makes the span the current span of the task.

        An async generator may end in another context than it began in, and needs a span that is not current.
        """
        span = self.start(name, SpanKind.INTERNAL, attributes)
        if current:
            self.enter(span)
        try:
            yield span
        except GeneratorExit:  # The reader of a stream has seen enough.
            raise
        except BaseException as error:
            span.fail(type(error).__name__)
            raise
        finally:
            self.end(span)
            if current:
                self.leave(span)
