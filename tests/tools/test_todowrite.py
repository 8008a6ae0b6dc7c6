import json

import pytest

from placet.core.errors import InvalidArguments
from placet.core.events import PlanEntry
from placet.tools.todowrite import TOOL
from tools_support.workbench import Workbench

TODOS = [
    {"content": "look", "status": "completed", "priority": "high"},
    {"content": "write", "status": "in_progress"},
    {"content": "test", "status": "pending", "priority": "low"},
    {"content": "dance", "status": "cancelled"},
]


async def test_the_list_is_shown_as_the_plan_and_kept_in_the_metadata(bench: Workbench) -> None:
    result = await bench.run(TOOL, todos=TODOS)
    assert [(entry.content, entry.status, entry.priority) for entry in bench.plans[-1]] == [
        ("look", "completed", "high"),
        ("write", "in_progress", "medium"),
        ("test", "pending", "low"),
        ("dance", "cancelled", "medium"),
    ]
    assert [PlanEntry.model_validate(todo) for todo in result.metadata["todos"]] == list(bench.plans[-1])
    assert json.loads(result.output) == result.metadata["todos"]


async def test_the_title_counts_what_is_left(bench: Workbench) -> None:
    assert (await bench.run(TOOL, todos=TODOS)).title == "2 todos"
    assert (await bench.run(TOOL, todos=TODOS[1:2])).title == "1 todo"


async def test_an_empty_list_clears_the_plan(bench: Workbench) -> None:
    await bench.run(TOOL, todos=[])
    assert bench.plans == [()]


async def test_an_unknown_status_is_refused_with_those_there_are(bench: Workbench) -> None:
    with pytest.raises(InvalidArguments, match=r"todos\.0\.status: .*'pending', 'in_progress', 'completed'"):
        await bench.run(TOOL, todos=[{"content": "look", "status": "doing"}])
    assert bench.plans == []


async def test_it_is_allowed_without_asking(bench: Workbench) -> None:
    await bench.run(TOOL, todos=TODOS)
    assert bench.user.asked == []
