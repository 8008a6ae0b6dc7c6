"""Hand a piece of work to a subagent with a conversation of its own."""

from collections.abc import Sequence

from pydantic import Field

from placet.core.messages import JsonObject
from placet.core.visible_text import quoted, shown_input
from placet.permissions.ask import Ask
from placet.tools.framework.context import SubagentRequest, SubagentResult, ToolContext
from placet.tools.framework.define import AgentView, Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.description import description
from placet.tools.framework.facts import ToolFacts


class TaskArguments(Arguments):
    description: str = Field(min_length=1, description="The work in three to five words, for the user.")
    prompt: str = Field(min_length=1, description="All that the subagent is told.")
    subagent_type: str = Field(description="Which subagent.")
    task_id: str | None = Field(default=None, pattern=r"^ses_", description="Go on with this subagent.")
    background: bool = Field(default=False, description="Return at once; the result comes later as a message.")


async def init(agent: AgentView) -> Definition[TaskArguments]:
    return Definition(await description(FACTS.name, agent), TaskArguments, execute, concurrent=True)


async def execute(arguments: TaskArguments, context: ToolContext) -> ToolResult:
    await context.ask(
        Ask(
            "task",
            (arguments.subagent_type,),
            always=(arguments.subagent_type,),
            title=f"Start the subagent {arguments.subagent_type}",
            description=quoted("The model", arguments.description),
            arguments=shown_input({"prompt": arguments.prompt}),
        )
    )

    shown: JsonObject = {"agent": arguments.subagent_type}
    context.metadata(title=arguments.description, metadata=shown)

    def began(session_id: str) -> None:
        # From here on the user can watch the work in a session of its own.
        context.metadata(metadata={**shown, "sessionId": session_id, "state": "running"})

    result = await context.session.run_subagent(
        SubagentRequest(
            agent=arguments.subagent_type,
            description=arguments.description,
            prompt=arguments.prompt,
            task_id=arguments.task_id,
            background=arguments.background,
            began=began,
        )
    )
    ended: JsonObject = {**shown, "sessionId": result.task_id, "state": result.state}
    return ToolResult(arguments.description, result_text(result), ended)


def result_text(result: SubagentResult) -> str:
    """Return the text for the model that asked."""
    lines: Sequence[str]
    match result.state:
        case "running":
            lines = [f'<task id="{result.task_id}" state="running">', "Its result will come to you as a message."]
        case state:
            lines = [f'<task id="{result.task_id}" state="{state}">', "<task_result>", result.text, "</task_result>"]
    return "\n".join([*lines, "</task>"])


FACTS = ToolFacts("task", order=120, kind="think", rule="allow", for_subagents=False, is_prose=True, has_own_view=True)
TOOL = define_tool(FACTS.name, init)
