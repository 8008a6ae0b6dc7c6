"""Calls of tools, over stdio, with servers that do as they like."""

import asyncio
import json
import logging
from pathlib import Path

import pytest

from mcp_support import Notes, held, odd
from placet.core.errors import PermissionDenied, ToolError
from placet.extensions.mcp import log
from placet.extensions.mcp.server_services import SamplingAnswer, SamplingRequest
from placet.tools.framework.truncation import MAX_BYTES
from time_support import limited
from tools_support.workbench import Workbench


async def test_a_tool_is_called_once_the_gate_allows_its_name(bench: Workbench) -> None:
    async with held(bench, odd=odd("plain")) as mcp:
        await mcp.connected()
        result = await mcp.run("odd_echo", text="hello")
        assert result.output == 'echo {"text": "hello"}'
        assert bench.user.asked == [("odd_echo", ("*",))]
        request = bench.user.requests[0]
        assert request.title == "Call the MCP tool odd_echo"
        assert request.description.startswith("The MCP server odd says: “echo”")
        assert json.loads(request.arguments) == {"text": "hello"}
        bench.permission = {"odd_*": "deny"}
        with pytest.raises(PermissionDenied):
            await mcp.run("odd_echo")


async def test_content_becomes_text_attachments_and_files(bench: Workbench) -> None:
    async with held(bench, odd=odd("content")) as mcp:
        await mcp.connected()
        result = await mcp.run("odd_do")
        first, second, audio, held_text, link = result.output.split("\n\n")
        assert (first, second) == ("one", "two")
        assert Path(audio.rpartition(" in ")[2].rstrip(")")).read_bytes() == b"\0\0\0"
        assert held_text == '<resource uri="test://a">\nheld\n</resource>'
        assert link == "Resource test://b (b)"
        assert [part.mime for part in result.attachments] == ["image/png"]
        with pytest.raises(ToolError, match="one\n\ntwo"):
            await mcp.run("odd_ask")


async def test_an_answer_is_read_as_far_as_it_can_be_read_and_otherwise_fails_its_call_at_once(
    bench: Workbench,
) -> None:
    async with held(bench, odd=odd("unreadable")) as mcp:
        await mcp.connected()
        assert (await mcp.run("odd_do")).output == "cut \N{REPLACEMENT CHARACTER}"
        with pytest.raises(ToolError, match="its answer cannot be read"):
            await mcp.run("odd_ask")
        assert (await mcp.run("odd_echo")).output == "(content of the kind zzz, which cannot be shown)\n\nt"


async def test_ten_megabytes_are_kept_in_a_file_and_shown_in_part(bench: Workbench) -> None:
    async with held(bench, odd=odd("huge")) as mcp:
        await mcp.connected()
        result = await mcp.run("odd_do")
        assert len(result.output) < MAX_BYTES + 1000
        assert Path(str(result.metadata["outputPath"])).stat().st_size == 10_000_000


async def test_a_flood_passes_and_others_have_their_turns_within_it(
    bench: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger=log.logger.name)
    turns, heard = 0, list[int]()
    handler = logging.Handler()
    handler.emit = lambda record: heard.append(turns)  # type: ignore[method-assign]
    log.logger.addHandler(handler)
    try:
        async with held(bench, odd=odd("floods")) as mcp:
            await mcp.connected()
            call = asyncio.ensure_future(mcp.run("odd_do"))
            while not call.done():
                await asyncio.sleep(0)
                turns += 1
            assert (await call).output == "after the flood"
    finally:
        log.logger.removeHandler(handler)
    assert len(heard) >= log.MOST_A_MINUTE
    assert len(set(heard)) > log.MOST_A_MINUTE / 2, "the lines were heard in so many turns"


async def test_a_hung_call_is_left_while_it_hangs_and_its_server_told(bench: Workbench, notes: Notes) -> None:
    async with held(bench, odd=odd("hangs", notes)) as mcp:
        await mcp.connected()
        call = asyncio.ensure_future(mcp.run("odd_do"))
        await notes.until("call do")
        call.cancel()
        async with limited(lambda: f"the end of the call; the server says {notes.lines[-3:]}"):
            await asyncio.wait((call,))
            assert call.cancelled()
            await notes.until("notifications/cancelled")
        assert (await mcp.run("odd_echo")).output == "echoed"


async def test_a_silent_call_is_given_up(bench: Workbench, notes: Notes) -> None:
    async with held(bench, odd=odd("hangs", notes, callTimeoutSeconds=0.2)) as mcp:
        await mcp.connected()
        with pytest.raises(ToolError, match=r"0\.2 seconds without a word"):
            await mcp.run("odd_do")
        await notes.until("notifications/cancelled")


async def test_a_server_that_reads_no_more_does_not_hold_a_cancelled_call(bench: Workbench, notes: Notes) -> None:
    async with held(bench, odd=odd("deaf", notes)) as mcp:
        await mcp.connected()
        tool = await mcp.tool("odd_do")
        calls = [asyncio.ensure_future(bench.run(tool, text="x" * 200_000)) for _ in range(3)]
        await notes.until("deaf")
        async with limited(lambda: f"the end of the server; it says {notes.lines[-3:]}"):
            await mcp.servers.disconnect("odd")
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert all(isinstance(result, ToolError) for result in results), results


async def test_a_server_that_dies_in_a_call_fails_the_call_and_is_started_again(bench: Workbench, notes: Notes) -> None:
    async with held(bench, odd=odd("dies", notes)) as mcp:
        await mcp.connected()
        with pytest.raises(ToolError, match="has ended"):
            await mcp.run("odd_do")
        await notes.until("started", 2)
        await mcp.connected()
        assert "odd_do" in await mcp.ids()


async def test_progress_is_shown_with_the_call(bench: Workbench) -> None:
    async with held(bench, odd=odd("progress")) as mcp:
        await mcp.connected()
        assert (await mcp.run("odd_do")).output == "done"
        assert bench.progress[-1] == {"began": True, "progress": 3, "total": 3, "message": "step 3"}
        assert bench.titles[-1] == "odd: do (3/3) step 3"


async def test_a_servers_hints_stand_in_the_question_and_allow_nothing(bench: Workbench) -> None:
    async with held(bench, odd=odd("hints"), plain=odd("plain")) as mcp:
        await mcp.connected("odd", "plain")
        for id in ("odd_drop", "odd_look", "plain_do"):
            await mcp.run(id)
        assert [request.description for request in bench.user.requests] == [
            "The MCP server odd says: “drop” The MCP server odd says that this tool may destroy data.",
            "The MCP server odd says: “look” The MCP server odd says that this tool only reads.",
            "The MCP server plain says: “do”",
        ]


async def test_a_server_asks_the_user_by_questions(bench: Workbench) -> None:
    async with held(bench, odd=odd("elicits")) as mcp:
        await mcp.connected()
        bench.user.replies = [["Ada"], ["36"], ["Yes"], ["Green"]]
        answer = json.loads((await mcp.run("odd_do")).output)
        assert answer == {"action": "accept", "content": {"name": "Ada", "age": 36, "sure": True, "colour": "g"}}
        assert [question.header for question in bench.user.questions] == ["Name", "age", "sure", "colour"]
        assert all("The MCP server odd asks: Who are you?" in question.question for question in bench.user.questions)
        assert [option.label for option in bench.user.questions[3].options] == ["Red", "Green"]


async def test_wrong_words_are_asked_again_and_given_up(bench: Workbench) -> None:
    async with held(bench, odd=odd("elicits")) as mcp:
        await mcp.connected()
        bench.user.replies = [["Ada"], ["old"], [], []]
        assert json.loads((await mcp.run("odd_do")).output) == {"action": "cancel"}
        assert len(bench.user.questions) == 3 * 4
        assert bench.user.questions[4].question.startswith("`age` has to be a number.")


async def test_who_declines_is_told_so_to_the_server(bench: Workbench) -> None:
    async with held(bench, odd=odd("elicits"), web=odd("opens")) as mcp:
        await mcp.connected("odd", "web")
        assert json.loads((await mcp.run("odd_do")).output) == {"action": "decline"}
        for label in ("I have opened it", "Open in the browser"):
            bench.user.replies = [[label]]
            assert json.loads((await mcp.run("web_do")).output)["action"] == "accept"
        pages = {option.label: option.opens for option in bench.user.questions[-1].options}
        assert pages == {"Open in the browser": "https://example.org/x", "I have opened it": None, "Decline": None}
        assert "https://example.org/x" in bench.user.questions[-1].question


async def test_a_server_asks_the_model_once_the_gate_allows_it(bench: Workbench) -> None:
    asked: list[SamplingRequest] = []

    async def sample(request: SamplingRequest) -> SamplingAnswer:
        asked.append(request)
        return SamplingAnswer("test/model", "Four.")

    async with held(bench, sample, odd=odd("samples")) as mcp:
        await mcp.connected()
        answer = json.loads((await mcp.run("odd_do")).output)
        assert (answer["content"]["text"], answer["model"]) == ("Four.", "test/model")
        assert asked[0].session_id == bench.session_id
        assert (asked[0].system, asked[0].max_output_tokens) == ("Be brief.", 50)
        assert ("sampling", ("odd",)) in bench.user.asked
        bench.permission = {"sampling": "deny"}
        answer = json.loads((await mcp.run("odd_do")).output)
        assert "refuses `sampling`" in answer["message"]
        assert len(asked) == 1


async def test_a_server_is_told_the_folders_that_are_open(bench: Workbench) -> None:
    async with held(bench, odd=odd("roots")) as mcp:
        await mcp.connected()
        answer = json.loads((await mcp.run("odd_do")).output)
        assert answer == {"roots": [{"uri": bench.root.as_uri(), "name": "project"}]}


async def test_a_server_has_its_own_variables_and_no_secrets(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-1234567890abcdefghij")
    async with held(bench, odd=odd("environment", env={"GIVEN": "yes", "OWN_TOKEN": "t"})) as mcp:
        await mcp.connected()
        environment = json.loads((await mcp.run("odd_do")).output)
        assert (environment["GIVEN"], environment["OWN_TOKEN"]) == ("yes", "t")
        assert "SOME_API_KEY" not in environment
        assert "PATH" in environment
