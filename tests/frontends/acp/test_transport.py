"""The wire of `placet --acp`, seen from outside, in the real process."""

import json
import signal
import sys

import pytest

from acp_support import AcpClient, Refused, children_of
from process_support import has_ended

METHOD_NOT_FOUND, INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR = -32601, -32602, -32600, -32700


@pytest.mark.parametrize("version", [1, 0, 2, 65535])
async def test_initialize_is_answered_with_a_version_that_placet_speaks(place, version):
    async with AcpClient(place) as client:
        result = await client.call("initialize", {"protocolVersion": version})
        assert result["protocolVersion"] == 1
        assert result["agentInfo"]["name"] == "placet"
        assert result["agentCapabilities"]["promptCapabilities"]["audio"] is False


@pytest.mark.parametrize("params", [{"protocolVersion": "1"}, {"protocolVersion": True}, {}, None, []])
async def test_initialize_without_a_version_is_refused_and_can_be_sent_again(place, params):
    async with AcpClient(place) as client:
        with pytest.raises(Refused) as refused:
            await client.call("initialize", params)
        assert refused.value.code == INVALID_PARAMS
        assert (await client.initialize())["protocolVersion"] == 1


async def test_ids_come_back_as_the_client_sent_the_ids(place):
    async with AcpClient(place) as client:
        for message_id in (0, "a", -7, "1", 1, None, 2**53):
            client.send({"id": message_id, "method": "initialize", "params": {"protocolVersion": 1}})
        await client.until(lambda one: one.get("id") == 2**53)
        assert [one["id"] for one in client.messages] == [0, "a", -7, "1", 1, None, 2**53]
        assert isinstance(client.messages[3]["id"], str)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", PARSE_ERROR),
        (b"\xff\xfe", PARSE_ERROR),
        (b"[" * 5000 + b"]" * 5000, PARSE_ERROR),
        (b"[]", INVALID_REQUEST),
        (b"7", INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":true,"method":"initialize"}', INVALID_REQUEST),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"initialize"}', INVALID_REQUEST),
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
async def test_a_line_that_is_no_message_is_refused_and_the_next_is_served(place, line, code, is_first):
    async with AcpClient(place) as client:
        if not is_first:
            await client.initialize()
        client.write(line + b"\n")
        refusal = await client.until(lambda one: "error" in one)
        assert (refusal["id"], refusal["error"]["code"]) == (None, code)
        assert await client.new_session()


async def test_unknown_requests_are_refused_and_unknown_notifications_ignored(place):
    async with AcpClient(place) as client:
        await client.initialize()
        client.notify("session/unknown", {})
        client.notify("$/cancel_request", {"requestId": 99})
        client.send({"id": 50, "result": {}})
        client.notify("session/cancel", {})
        with pytest.raises(Refused) as refused:
            await client.call("_other/method", {})
        assert refused.value.code == METHOD_NOT_FOUND
        assert len(client.messages) == 2


@pytest.mark.parametrize("method", ["session/status", "session/archive", "providers/list"])
async def test_a_method_that_is_not_advertised_is_unknown(place, method):
    async with AcpClient(place) as client:
        await client.initialize()
        with pytest.raises(Refused) as refused:
            await client.call(method, {})
        assert refused.value.code == METHOD_NOT_FOUND


async def test_a_line_of_20_megabytes_is_one_message(place):
    async with AcpClient(place) as client:
        await client.initialize()
        assert await client.new_session(_meta={"tests/padding": "x" * 20_000_000})


async def test_a_line_separator_within_a_string_ends_no_message(place):
    async with AcpClient(place) as client:
        message = {
            "jsonrpc": "2.0",
            "id": "a\u2028b\u2029c\x85",
            "method": "initialize",
            "params": {"protocolVersion": 1},
        }
        client.wire.append(("client", message))
        client.write(json.dumps(message, ensure_ascii=False).encode() + b"\r\n\n  \n")
        answer = await client.until(lambda one: "result" in one)
        assert answer["id"] == "a\u2028b\u2029c\x85"


NOISY = """
import os, runpy, sys

class Noise:
    def find_spec(self, name, *_):
        if name == "placet.frontends.acp.server":
            print("a library prints", flush=True)
            os.write(1, b"and so does C\\n")

sys.meta_path.insert(0, Noise())
sys.argv = ["placet", "--acp"]
runpy.run_module("placet", run_name="__main__", alter_sys=True)
"""


async def test_what_a_library_prints_does_not_get_onto_the_wire(place):
    async with AcpClient(place, command=[sys.executable, "-c", NOISY]) as client:
        assert await client.opened()
    assert client.garbage == []
    assert b"a library prints\nand so does C" in client.stderr


async def test_a_client_that_leaves_before_its_first_message_ends_the_process(place):
    async with AcpClient(place) as client:
        pass
    assert client.process.returncode == 0
    assert client.stderr == b""


async def _with_a_running_command(client: AcpClient, place) -> list[int]:
    """The processes below the agent, while a command of the model runs."""
    place.script([{"call": "bash", "arguments": {"command": "echo begun; sleep 300; echo never"}}])
    client.permission = lambda params: {"outcome": {"outcome": "selected", "optionId": "once"}}
    client.begin_prompt(await client.opened())

    def has_begun(message):
        update = message.get("params", {}).get("update", {})
        return update.get("sessionUpdate") == "tool_call_update" and "begun" in json.dumps(update.get("content", ""))

    await client.until(has_begun)
    children = children_of(client.process.pid)
    assert children
    return children


async def test_closed_stdin_ends_the_process_with_all_its_children(place):
    async with AcpClient(place) as client:
        children = await _with_a_running_command(client, place)
        client.close_input()
        assert await client.ended() == 0
        assert all(map(has_ended, children))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_the_process_with_all_its_children(place, number):
    async with AcpClient(place) as client:
        children = await _with_a_running_command(client, place)
        client.process.send_signal(number)
        assert await client.ended() == 0
        assert all(map(has_ended, children))
