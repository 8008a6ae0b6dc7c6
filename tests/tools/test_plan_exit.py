from pathlib import Path

import pytest

from corpus_support import corpus
from placet.core.errors import Rejected, ToolError
from placet.tools.framework.define import AgentView
from placet.tools.plan_exit import TOOL
from tools_support.workbench import Workbench, open_workbench


@pytest.fixture
def file(bench: Workbench) -> Path:
    return plan_of(bench)


def plan_of(bench: Workbench) -> Path:
    file = bench.root.parent / "plan.md"
    file.write_text("# Plan\n")
    bench.agent = AgentView("plan", plan_file=file)
    return file


@corpus("word", ["Yes", "yes", "y"], bench=open_workbench, file=plan_of)
async def test_an_accepted_plan_is_carried_out_by_the_build_agent(bench: Workbench, file: Path, word: str) -> None:
    bench.user.replies = [[word]]
    result = await bench.run(TOOL)
    assert bench.switched == ["build"]
    assert "<plan>\n# Plan\n</plan>" in result.output
    assert str(file) in bench.user.questions[0].question


async def test_the_plan_is_what_stands_on_the_users_screen(bench: Workbench, file: Path) -> None:
    bench.documents.type(file, "# Unsaved plan\n")
    bench.user.replies = [["Yes"]]
    assert "# Unsaved plan" in (await bench.run(TOOL)).output


@corpus("words", [["No"], ["n"], [], [""]], bench=open_workbench, file=plan_of)
async def test_no_ends_the_turn(bench: Workbench, file: Path, words: list[str]) -> None:
    bench.user.replies = [words]
    with pytest.raises(Rejected) as caught:
        await bench.run(TOOL)
    assert caught.value.feedback == ""
    assert bench.switched == []


async def test_other_words_go_back_to_the_planning_model(bench: Workbench, file: Path) -> None:
    bench.user.replies = [["Use two steps"]]
    with pytest.raises(Rejected) as caught:
        await bench.run(TOOL)
    assert caught.value.feedback == "Use two steps"


@corpus("content", [None, " \n"], bench=open_workbench, file=plan_of)
async def test_without_a_plan_nobody_is_asked(bench: Workbench, file: Path, content: str | None) -> None:
    file.unlink()
    if content is not None:
        file.write_text(content)
    with pytest.raises(ToolError, match="There is no plan yet"):
        await bench.run(TOOL)
    assert bench.user.questions == []


async def test_the_description_names_the_file(bench: Workbench, file: Path) -> None:
    assert str(file) in (await TOOL.init(bench.agent)).description
