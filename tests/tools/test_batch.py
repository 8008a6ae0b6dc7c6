from pathlib import Path
from typing import Any

import pytest

from placet.core.errors import InvalidArguments
from placet.core.messages import TextPart, ToolPart
from placet.core.ports import PermissionAnswer
from placet.core.transcript import Transcript
from placet.tools.batch import TOOL
from placet.tools.framework.define import AgentView
from services_support import TempServices
from tools_support.workbench import Workbench

GO = [TextPart(text="go")]


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    (services.project / "a.txt").write_text("one\n")
    (services.project / "b.txt").write_text("two\n")
    return services


def call(tool: str, **parameters: Any) -> dict[str, Any]:
    return {"tool": tool, "parameters": parameters}


def edit(name: str, old: str, new: str) -> dict[str, Any]:
    return call("edit", filePath=name, oldString=old, newString=new)


async def run(services: TempServices, *calls: dict[str, Any], **settings: Any) -> tuple[str, list[ToolPart]]:
    """How the turn ended, and its calls: the batch first, then what was in it."""
    reads = [{"call": "read", "arguments": {"filePath": name}} for name in ("a.txt", "b.txt")]
    model = services.script(reads, [{"call": "batch", "arguments": {"tool_calls": list(calls)}}], [{"text": "Done."}])
    async with services.open(model, experimental={"batchTool": True}, **settings) as sessions:
        session = await sessions.create()
        result = await session.prompt(GO)
        transcript = Transcript()
        for event in session.replay():
            transcript.apply(event.update)
    parts = [part for message in transcript.messages for part in message.parts if isinstance(part, ToolPart)]
    return result.stop_reason, parts[2:]


async def test_each_call_has_a_result_of_its_own(services: TempServices) -> None:
    reason, [batch, read, grep] = await run(services, call("read", filePath="a.txt"), call("grep", pattern="two"))
    assert reason == "end_turn"
    assert [(part.tool, part.state.status) for part in (read, grep)] == [("read", "completed"), ("grep", "completed")]
    assert "1: one" in read.state.output
    assert "b.txt" in grep.state.output
    assert batch.state.output.startswith("2 of 2 calls succeeded.")
    assert {part.call_id for part in (read, grep)} == {f"{batch.call_id}_1", f"{batch.call_id}_2"}


async def test_a_call_that_fails_is_told_and_stops_no_other(services: TempServices) -> None:
    _, [batch, missing, unknown, wrong, read] = await run(
        services, call("read", filePath="no.txt"), call("sing"), call("grep"), call("read", filePath="a.txt")
    )
    assert [part.state.status for part in (missing, unknown, wrong, read)] == ["error", "error", "error", "completed"]
    assert batch.state.metadata["successful"] == 1
    assert [detail["success"] for detail in batch.state.metadata["details"]] == [False, False, False, True]
    assert "1. read failed: There is no file" in batch.state.output
    assert "2. sing failed: There is no tool `sing`" in batch.state.output
    assert (
        "3. grep failed: The grep tool was called with invalid arguments: pattern: Field required" in batch.state.output
    )


async def test_every_edit_in_it_passes_the_gate(services: TempServices) -> None:
    services.user.answer = lambda request: (
        PermissionAnswer("once") if "a.txt" in request.patterns else PermissionAnswer("reject", feedback="not b")
    )
    reason, [batch, first, second] = await run(services, edit("a.txt", "one", "1"), edit("b.txt", "two", "2"))
    assert reason == "end_turn"
    assert [request.patterns for request in services.user.asked] == [("a.txt",), ("b.txt",)]
    assert [request.call_id for request in services.user.asked] == [first.call_id, second.call_id]
    assert (services.project / "a.txt").read_text() == "1\n"
    assert (services.project / "b.txt").read_text() == "two\n"
    assert "not b" in batch.state.output


async def test_a_rejection_without_a_word_ends_the_turn_and_closes_the_rest(services: TempServices) -> None:
    services.user.answer = lambda _: PermissionAnswer("reject")
    reason, parts = await run(services, edit("a.txt", "one", "1"), edit("b.txt", "two", "2"))
    assert reason == "rejected"
    assert [part.state.status for part in parts] == ["error"] * 3
    assert "not run" in parts[2].state.error
    assert (services.project / "b.txt").read_text() == "two\n"


async def test_a_denied_call_is_denied_in_it_too(services: TempServices) -> None:
    _, [batch, read] = await run(services, call("read", filePath="a.txt"), permission={"read": {"a.txt": "deny"}})
    assert read.state.status == "error"
    assert batch.state.output.startswith("0 of 1 call succeeded.")


async def test_a_batch_in_a_batch_is_refused(services: TempServices) -> None:
    _, [batch, read] = await run(services, call("Batch", tool_calls=[]), call("Read", filePath="a.txt"))
    assert (read.tool, read.state.status) == ("read", "completed")
    assert batch.state.metadata["details"][0] == {
        "tool": "Batch",
        "success": False,
        "error": "A batch cannot hold another batch: list its calls in this one.",
    }


async def test_beyond_twenty_five_calls_none_is_run(services: TempServices) -> None:
    _, [batch, *within] = await run(services, *[call("read", filePath="a.txt")] * 27)
    assert len(within) == 25
    assert (batch.state.metadata["totalCalls"], batch.state.metadata["failed"]) == (27, 2)
    assert "27. read failed: A batch holds at most 25 calls." in batch.state.output


async def test_mistakes_are_listed_with_the_shape_that_is_expected(bench: Workbench) -> None:
    with pytest.raises(InvalidArguments) as caught:
        await bench.run(TOOL, tool_calls=[{"parameters": {}}, {"tool": "read", "parameters": []}])
    assert str(caught.value).splitlines() == [
        "The batch tool was called with invalid arguments:",
        "- tool_calls.0.tool: Field required",
        "- tool_calls.1.parameters: Input should be a valid dictionary",
        'Expected: {"tool_calls": [{"tool": "read", "parameters": {"filePath": "src/app.py"}}, ...]}',
    ]


async def test_a_batch_without_calls_is_a_mistake(bench: Workbench) -> None:
    with pytest.raises(InvalidArguments, match="at least one call is needed"):
        await bench.run(TOOL, tool_calls=[])


async def test_its_parameter_has_the_name_of_the_reference() -> None:
    assert list((await TOOL.init(AgentView("build"))).schema["properties"]) == ["tool_calls"]
