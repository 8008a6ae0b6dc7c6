import json

from placet.core.messages import AssistantMessage, ToolCompleted, ToolFailed, ToolPart
from placet.tools import todoread, todowrite
from tools_support.workbench import Workbench

ONE = [{"content": "look", "status": "pending", "priority": "medium"}]
TWO = [{"content": "look", "status": "completed", "priority": "medium"}]


def message(*states: ToolCompleted | ToolFailed) -> AssistantMessage:
    parts = (ToolPart(call_id=f"c{number}", tool="todowrite", state=state) for number, state in enumerate(states))
    return AssistantMessage(parent_id="msg_1", parts=tuple(parts))


async def written(bench: Workbench, todos: list) -> ToolCompleted:
    result = await bench.run(todowrite.TOOL, todos=todos)
    return ToolCompleted(input={}, title="", output="", metadata=result.metadata, start=0, end=0)


async def test_the_last_list_that_was_written_is_read(bench: Workbench) -> None:
    bench.messages = (message(await written(bench, ONE)), message(await written(bench, TWO)))
    result = await bench.run(todoread.TOOL)
    assert json.loads(result.output) == TWO
    assert result.title == "0 todos"


async def test_a_call_that_failed_wrote_no_list(bench: Workbench) -> None:
    failed = ToolFailed(input={}, error="no", metadata={"todos": TWO}, start=0, end=0)
    bench.messages = (message(await written(bench, ONE), failed),)
    assert json.loads((await bench.run(todoread.TOOL)).output) == ONE


async def test_without_a_list_it_is_empty(bench: Workbench) -> None:
    assert (await bench.run(todoread.TOOL)).output == "[]"
