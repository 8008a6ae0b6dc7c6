"""Spans of helper processes, which no event of a session tells."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from model_support.opened_host import open_host
from placet.core.spans import span, stop_tracing, trace_with


class Tracer:
    def __init__(self) -> None:
        self.ended: list[str] = []

    @contextmanager
    def span(self, name: str, attributes: Mapping[str, str]) -> Generator[None]:
        yield
        self.ended.append(" ".join([name, *attributes.values()]))


@contextmanager
def tracing() -> Generator[Tracer]:
    trace_with(tracer := Tracer())
    try:
        yield tracer
    finally:
        stop_tracing(tracer)


async def test_the_wait_for_the_start_of_the_model_host_is_a_span_and_a_later_call_has_none() -> None:
    with tracing() as tracer:
        async with open_host({}) as host:
            await host.ready()
            await host.ready()
    assert tracer.ended == ["placet.model_host.start"]


def test_no_span_reaches_a_tracer_that_has_stopped() -> None:
    with tracing() as tracer, span("work", what="x"):
        pass
    with span("more"):
        pass
    assert tracer.ended == ["placet.work x"]
