"""Which call a fragment of an answer belongs to, with the habits of many providers, through the real host."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus_support import corpus
from model_support.asking import answer, calls_of, reason_of
from model_support.wires import OpenModel, opener
from placet.model.client.host import ModelHost
from wire_servers.answers import Raw
from wire_servers.server import WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

Fragment = tuple[int, str | None, str | None, str | None]
"""Index, id, name and arguments, as a chunk has them."""
NAMELESS = "an id of the host's own"


def chunk(*fragments: Fragment) -> Raw:
    calls: list[dict[str, Any]] = []
    for index, call_id, name, arguments in fragments:
        function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
        call = {"index": index, "type": "function", "function": function}
        calls.append(call if call_id is None else {**call, "id": call_id})
    choice = {"index": 0, "delta": {"tool_calls": calls}, "finish_reason": None}
    return Raw({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]})


ANSWERS: dict[str, tuple[list[Raw], list[tuple[str, str, str]]]] = {
    "an id repeated with each fragment is one call": (
        [chunk((0, "a", "read", "{")), chunk((0, "a", "read", "}"))],
        [("a", "read", "{}")],
    ),
    "an empty id goes on with the call of its index": (
        [chunk((0, "a", "read", "{")), chunk((0, "", None, "}"))],
        [("a", "read", "{}")],
    ),
    "a new id at the same index is a new call": (
        [chunk((0, "a", "read", "1")), chunk((0, "b", "read", "2")), chunk((0, None, None, "3"))],
        [("a", "read", "1"), ("b", "read", "23")],
    ),
    "a known id at another index is the same call": (
        [chunk((0, "a", "read", "1")), chunk((1, "a", None, "2")), chunk((1, None, None, "3"))],
        [("a", "read", "123")],
    ),
    "calls without ids at one index are told apart by complete arguments": (
        [chunk((0, None, "read", '{"a":1}')), chunk((0, None, "write", '{"b":2}'))],
        [(NAMELESS, "read", '{"a":1}'), (NAMELESS, "write", '{"b":2}')],
    ),
    "calls without ids at two indexes are two calls": (
        [chunk((0, None, "read", "[0]"), (1, None, "read", "[1]"))],
        [(NAMELESS, "read", "[0]"), (NAMELESS, "read", "[1]")],
    ),
    "a name repeated without an id goes on with the call": (
        [chunk((0, None, "read", '{"a"')), chunk((0, None, "read", ":1}"))],
        [(NAMELESS, "read", '{"a":1}')],
    ),
    "arguments before the name are kept": (
        [chunk((0, "a", None, "{")), chunk((0, None, "read", "}"))],
        [("a", "read", "{}")],
    ),
    "a call that never gets a name is announced at the end": ([chunk((0, "a", None, "{}"))], [("a", "", "{}")]),
    "interleaved arguments go to their calls": (
        [
            chunk((0, "a", "read", ""), (1, "b", "list", "")),
            *(chunk((number % 2, None, None, text)) for number, text in enumerate("{{1234}}")),
        ],
        [("a", "read", "{13}"), ("b", "list", "{24}")],
    ),
}


@corpus("name", ANSWERS, server=WireServer, open_model=opener)
async def test_a_fragment_goes_to_its_call(server: WireServer, open_model: OpenModel, name: str):
    chunks, expected = ANSWERS[name]
    server.play([tuple(chunks)])

    events = await answer(open_model("openai"))

    calls = calls_of(events)
    assert all(call_id for call_id, _, _ in calls)
    assert len({call_id for call_id, _, _ in calls}) == len(calls)
    known = {call_id for call_id, _, _ in expected}
    assert [(call_id if call_id in known else NAMELESS, *rest) for call_id, *rest in calls] == expected
    assert reason_of(events) == "tool_calls"


@given(
    st.lists(st.tuples(st.integers(0, 3), st.text(st.characters(exclude_categories=["Cs"]), max_size=4)), max_size=30)
)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
async def test_no_fragment_is_lost_or_moved(host: ModelHost, server: WireServer, pieces: list[tuple[int, str]]):
    starts = chunk(*((index, f"id{index}", "read", "") for index in range(4)))
    server.play([(starts, *(chunk((index, None, None, text)) for index, text in pieces))])

    calls = calls_of(await answer(opener(host, server)("openai")))

    assert calls == [
        (f"id{index}", "read", "".join(text for other, text in pieces if other == index)) for index in range(4)
    ]
