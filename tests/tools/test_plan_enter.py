from pathlib import Path

import pytest

from placet.core.errors import NobodyToAsk, Rejected
from placet.tools.framework.define import AgentView
from placet.tools.plan_enter import TOOL
from tools_support.workbench import Workbench


@pytest.fixture
def file(bench: Workbench, tmp_path: Path) -> Path:
    bench.agent = AgentView("build", plan_file=tmp_path / "plan.md")
    return tmp_path / "plan.md"


async def test_yes_goes_over_to_the_plan_agent_and_names_the_file(bench: Workbench, file: Path) -> None:
    bench.user.replies = [["Yes"]]
    result = await bench.run(TOOL)
    assert bench.switched == ["plan"]
    assert str(file) in result.output


async def test_no_goes_on_without_a_plan(bench: Workbench, file: Path) -> None:
    bench.user.replies = [["No"]]
    assert "wants no plan" in (await bench.run(TOOL)).output
    assert bench.switched == []


async def test_declining_to_answer_rejects_it(bench: Workbench, file: Path) -> None:
    with pytest.raises(Rejected):
        await bench.run(TOOL)


async def test_it_fails_where_nobody_is(bench: Workbench, file: Path) -> None:
    bench.user.answers = []
    with pytest.raises(NobodyToAsk):
        await bench.run(TOOL)
    assert bench.switched == []
