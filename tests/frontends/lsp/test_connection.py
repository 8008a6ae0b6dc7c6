"""What every message gets for an answer, over bytes but without a process."""

import asyncio
import contextlib
import gc
import json
from typing import Any

import pytest

from lsp_link.links import OurLink
from placet.core.framing import frame
from placet.frontends.lsp.connection.editor_client import EditorError, EditorGone
from time_support import limited

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
NOT_INITIALIZED, CANCELLED = -32002, -32800


def code_of(answer: dict[str, Any]) -> int:
    return answer["error"]["code"]


async def forever(_params: Any) -> None:
    await asyncio.Event().wait()


async def test_before_initialize_requests_are_refused_and_notifications_dropped(link: OurLink) -> None:
    heard: list[Any] = []
    link.feature("x/note", heard.append)
    link.attach()

    link.notify("x/note", 1)

    assert code_of(await link.call("agent/status")) == NOT_INITIALIZED
    assert code_of(await link.call("x/unknown")) == NOT_INITIALIZED
    assert code_of(await link.call("shutdown")) == NOT_INITIALIZED
    await link.handshake()
    link.notify("x/note", 2)
    await link.call("x/unknown")
    assert heard == [2]


async def test_a_second_initialize_is_refused(link: OurLink) -> None:
    await link.start()

    assert code_of(await link.call("initialize", {"capabilities": {}})) == INVALID_REQUEST


async def test_initialize_without_params_is_refused_and_may_be_mended(link: OurLink) -> None:
    link.attach()

    assert code_of(await link.call("initialize")) == INVALID_PARAMS
    assert "result" in await link.handshake()


async def test_an_unknown_request_is_answered_so(link: OurLink) -> None:
    await link.start()

    assert code_of(await link.call("agent/nothing", {})) == UNKNOWN_METHOD
    assert code_of(await link.call("$/nothing")) == UNKNOWN_METHOD


async def test_an_internal_error_shows_nothing_of_the_inside(link: OurLink) -> None:
    def fail(_params: Any) -> None:
        raise OSError(2, "no such file", __file__)

    async def fail_later(_params: Any) -> None:
        await asyncio.sleep(0)
        fail(None)

    link.feature("x/fail", fail)
    link.feature("x/failLater", fail_later)
    link.feature("x/unspeakable", lambda _: object())
    await link.start()

    for method in ("x/fail", "x/failLater", "x/unspeakable"):
        answer = await link.call(method)
        assert code_of(answer) == INTERNAL_ERROR
        assert set(answer["error"]) == {"code", "message"}
        assert answer["error"]["message"] == f"`{method}` failed inside Placet. See the log for details."
        assert __file__ not in json.dumps(answer)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", PARSE_ERROR),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "x/echo"} {}', PARSE_ERROR),
        (b"\xff\xfe\xfd", PARSE_ERROR),
        (b"[" * 100_000, PARSE_ERROR),
        (b"[]", INVALID_REQUEST),
        (b"null", INVALID_REQUEST),
        (b"{}", INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "x/echo"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": true, "method": "x/echo"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "x/echo"}', INVALID_REQUEST),
    ],
)
async def test_what_is_no_message_is_answered_without_an_id_and_survived(link: OurLink, body: bytes, code: int) -> None:
    link.feature("x/echo", lambda params: params)
    await link.start()

    link.feed(frame(body))

    assert code_of(await link.answer(None)) == code
    assert (await link.call("x/echo", [1]))["result"] == [1]


async def test_a_request_whose_method_is_no_name_is_answered_with_its_id(link: OurLink) -> None:
    await link.start()

    link.send({"id": "a", "method": 5})

    assert code_of(await link.answer("a")) == INVALID_REQUEST


async def test_every_request_of_a_crowd_gets_one_answer(link: OurLink) -> None:
    async def later(params: Any) -> Any:
        await asyncio.sleep(0)
        return params

    link.feature("x/now", lambda params: params)
    link.feature("x/later", later)
    link.feature("x/forever", forever)
    await link.start()
    before = len(link.sent.messages)

    requests = [link.begin(("x/now", "x/later", "x/forever", "x/unknown")[number % 4], number) for number in range(40)]
    for request in requests:
        link.notify("$/cancelRequest", {"id": request})
    answers = [await link.answer(request) for request in requests]

    assert len(link.sent.messages) - before == 40
    assert [answer["result"] for answer in answers[::4]] == list(range(0, 40, 4))
    assert {code_of(answer) for answer in answers[2::4]} == {CANCELLED}


async def test_an_id_in_work_is_not_taken_twice(link: OurLink) -> None:
    link.feature("x/forever", forever)
    await link.start()
    link.send({"id": "same", "method": "x/forever"})
    link.send({"id": "same", "method": "x/forever"})

    assert code_of(await link.answer("same")) == INVALID_REQUEST


async def test_a_handler_that_catches_its_cancelling_answers_with_a_result(link: OurLink) -> None:
    async def stoppable(_params: Any) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "stopped"
        return ""

    link.feature("x/stoppable", stoppable)
    await link.start()
    request = link.begin("x/stoppable")
    link.notify("$/cancelRequest", {"id": request})

    assert (await link.answer(request))["result"] == "stopped"


@pytest.mark.parametrize("params", [None, {}, {"id": None}, {"id": []}, {"id": "none"}, 5])
async def test_a_cancelling_of_nothing_is_ignored(link: OurLink, params: Any) -> None:
    await link.start()

    link.notify("$/cancelRequest", params)

    assert code_of(await link.call("x/unknown")) == UNKNOWN_METHOD


async def test_shutdown_answers_what_is_in_work_first_and_refuses_what_comes_later(link: OurLink) -> None:
    link.feature("x/forever", forever)
    await link.start()
    request = link.begin("x/forever")

    assert (await link.call("shutdown"))["result"] is None

    kinds = [one["id"] for one in link.sent.messages if "id" in one]
    assert kinds.index(request) < len(kinds) - 1
    assert code_of(await link.answer(request)) == CANCELLED
    assert code_of(await link.call("x/forever")) == INVALID_REQUEST


@pytest.mark.parametrize(("shut_down", "code"), [(True, 0), (False, 1)])
async def test_exit_is_only_clean_after_shutdown(link: OurLink, shut_down: bool, code: int) -> None:
    await link.start()
    if shut_down:
        await link.call("shutdown")

    link.notify("exit", None)

    assert await link.connection.ended == code


async def test_the_clients_error_is_raised(link: OurLink) -> None:
    await link.start()
    asking = asyncio.create_task(link.ask("editor/x", {}))
    request = await link.sent.first(lambda one: one.get("method") == "editor/x")

    link.send({"id": request["id"], "error": {"code": -32601, "message": "no such thing"}})

    with pytest.raises(EditorError, match="no such thing") as raised:
        await asking
    assert raised.value.code == UNKNOWN_METHOD


async def test_no_inquiry_outlives_the_connection(link: OurLink) -> None:
    await link.start()
    asking = [asyncio.create_task(link.ask("editor/x", {}, timeout_seconds=60)) for _ in range(3)]
    await link.sent.first(lambda one: one.get("method") == "editor/x")
    asking[0].cancel()

    link.notify("exit", None)
    results = await asyncio.gather(*asking, return_exceptions=True)

    assert [type(one) for one in results] == [asyncio.CancelledError, EditorGone, EditorGone]
    assert link.connection.unanswered_requests == 0
    with pytest.raises(EditorGone):
        await link.ask("editor/x", {})


async def test_a_late_answer_is_ignored(link: OurLink) -> None:
    await link.start()
    with contextlib.suppress(TimeoutError):
        await link.ask("editor/x", {}, timeout_seconds=0.001)
    request = await link.sent.first(lambda one: one.get("method") == "editor/x")

    link.send({"id": request["id"], "result": 1})
    link.send({"id": "never asked", "error": {"code": 1, "message": ""}})

    assert code_of(await link.call("x/unknown")) == UNKNOWN_METHOD
    assert link.connection.unanswered_requests == 0


async def test_a_lone_surrogate_goes_out_as_an_escape(link: OurLink) -> None:
    link.feature("x/echo", lambda params: params)
    await link.start()

    assert (await link.call("x/echo", ["\ud800 and ä"]))["result"] == ["\ud800 and ä"]


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [(["utf-32", "utf-8"], "utf-32"), (["utf-7", "utf-8"], "utf-8"), (["utf-16"], "utf-16"), (None, "utf-16")],
)
async def test_the_position_encoding_is_the_first_of_the_clients_that_is_known(
    link: OurLink, offered: list[str] | None, chosen: str
) -> None:
    capabilities = {"general": {"positionEncodings": offered}} if offered else {}
    answer = await link.start(capabilities=capabilities)

    assert answer["result"]["capabilities"]["positionEncoding"] == chosen
    assert link.door.buffers.encoding == chosen


async def test_an_editors_process_that_cannot_be_seen_is_not_waited_for(link: OurLink) -> None:
    """One on the other side of a container has an id that means nothing here."""
    await link.start(processId=2**22 + 1)

    assert not link.door.parent_process_id.done()


async def test_the_objects_of_a_later_editor_are_not_kept_from_the_garbage_collector() -> None:
    async def loaded() -> None:
        opened = asyncio.Event()

        async def open_sessions(*_: Any) -> Any:
            opened.set()
            await forever(None)

        link = OurLink(open_sessions)
        await link.start()
        link.begin("agent/status")
        async with limited(lambda: "the loading of the agent"):
            await opened.wait()
        await link.stop()

    await loaded()
    kept = gc.get_freeze_count()
    await loaded()

    assert gc.get_freeze_count() <= kept


async def test_documents_are_synced_incrementally_with_saves(link: OurLink) -> None:
    answer = await link.start()

    sync = answer["result"]["capabilities"]["textDocumentSync"]
    assert sync == {"openClose": True, "change": 2, "save": {"includeText": False}}


async def test_commands_are_offered_to_plain_editors_only(link: OurLink) -> None:
    answer = await link.start()
    with_plugin = OurLink()
    answer_with_plugin = await with_plugin.start(initializationOptions={"agent": {"protocol": 1}})
    await with_plugin.stop()

    assert "placet.prompt" in answer["result"]["capabilities"]["executeCommandProvider"]["commands"]
    assert "executeCommandProvider" not in answer_with_plugin["result"]["capabilities"]
