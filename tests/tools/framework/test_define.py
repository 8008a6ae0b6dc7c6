from pathlib import Path

import pytest
from pydantic import ValidationError

from placet.core.errors import InvalidArguments, ToolError
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import AgentView, Arguments, Definition, Tool, ToolResult, define_tool
from tools_support.workbench import Workbench


class SayArguments(Arguments):
    text_to_say: str
    times: int = 1


async def say(arguments: SayArguments, context: ToolContext) -> ToolResult:
    return ToolResult("Say", arguments.text_to_say * arguments.times, {"mine": True})


SAY = define_tool("say", Definition("Says it.", SayArguments, say))


async def test_a_static_definition_and_a_factory_give_the_same_kind_of_tool(bench: Workbench) -> None:
    async def for_agent(agent: AgentView) -> Definition[SayArguments]:
        return Definition(f"Says it for {agent.name}.", SayArguments, say)

    static = await SAY.init(AgentView("build"))
    made = await define_tool("say", for_agent).init(AgentView("plan"))
    assert (static.description, made.description) == ("Says it.", "Says it for plan.")
    assert static.schema == made.schema
    assert static.schema["required"] == ["textToSay"]


async def test_arguments_are_validated_once_for_every_tool(bench: Workbench) -> None:
    assert (await bench.run(SAY, textToSay="ho ", times="2", unknown=1)).output == "ho ho "
    with pytest.raises(InvalidArguments) as caught:
        await bench.run(SAY, times="many")
    message = str(caught.value)
    assert message.startswith("The say tool was called with invalid arguments: textToSay: Field required; times: ")
    assert message.endswith("\nPlease rewrite the input so it satisfies the expected schema.")
    assert "https://" not in message


async def test_a_tool_may_word_its_own_validation_errors(bench: Workbench) -> None:
    def worded(error: ValidationError) -> str:
        return f"{error.error_count()} mistakes"

    tool = define_tool("say", Definition("", SayArguments, say, format_validation_error=worded))
    with pytest.raises(InvalidArguments, match=r"^1 mistakes$"):
        await bench.run(tool)


async def test_output_that_fits_is_passed_on_and_marked_so(bench: Workbench) -> None:
    result = await bench.run(SAY, textToSay="hello")
    assert (result.output, result.metadata) == ("hello", {"mine": True, "truncated": False})


async def test_output_that_does_not_fit_is_bounded_and_kept_in_a_file(bench: Workbench) -> None:
    result = await bench.run(SAY, textToSay="hello\n", times=5000)
    path = Path(result.metadata["outputPath"])
    assert path.parent == bench.output_directory
    assert path.read_text() == "hello\n" * 5000
    assert result.metadata["truncated"] is True
    assert "...3000 lines truncated..." in result.output
    assert (result.metadata["originalSize"], result.metadata["truncatedSize"]) == (30_000, 12_000)


async def test_a_tool_that_bounds_its_own_output_is_left_alone(bench: Workbench) -> None:
    async def whole(arguments: SayArguments, context: ToolContext) -> ToolResult:
        return ToolResult("Say", "hello\n" * 5000, {"truncated": False})

    result = await bench.run(define_tool("say", Definition("", SayArguments, whole)), textToSay="")
    assert result.output == "hello\n" * 5000


async def test_what_the_system_refuses_is_told_to_the_model(bench: Workbench) -> None:
    async def fail(arguments: SayArguments, context: ToolContext) -> ToolResult:
        raise PermissionError(13, "Permission denied", "/there")

    with pytest.raises(ToolError, match=r"The say tool failed: .*Permission denied: '/there'"):
        await bench.run(define_tool("say", Definition("", SayArguments, fail)), textToSay="")


async def test_our_own_bugs_are_not_hidden_from_us(bench: Workbench) -> None:
    async def fail(arguments: SayArguments, context: ToolContext) -> ToolResult:
        raise KeyError("bug")

    tool: Tool = define_tool("say", Definition("", SayArguments, fail))
    with pytest.raises(KeyError):
        await bench.run(tool, textToSay="")
