"""Show the finished plan to the user, and have the accepted plan carried out, with the user's changes."""

from placet.core.errors import Rejected, ToolError
from placet.core.ports import Question, QuestionOption
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import AgentView, Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.description import description
from placet.tools.framework.facts import ToolFacts
from placet.tools.planning.plan_file import PLAN_MODE, read_plan


class PlanExitArguments(Arguments):
    pass


async def init(agent: AgentView) -> Definition[PlanExitArguments]:
    file = agent.plan_file

    async def execute(arguments: PlanExitArguments, context: ToolContext) -> ToolResult:
        if file is None:
            raise ToolError("This session has no plan file. Give the plan as your answer.")
        proposed = await read_plan(context, file)
        context.metadata(title="Plan", metadata={"planFile": str(file), "plan": proposed})
        words = " ".join(
            word for answer in await context.session.ask_user([_question(str(file))]) for word in answer
        ).strip()
        if words.lower() not in ("yes", "y"):
            raise Rejected("" if words.lower() in ("no", "n") else words)
        accepted = await read_plan(context, file)
        context.session.switch_agent("build")
        changed = " The user changed it; this is how it reads now." if accepted != proposed else ""
        return ToolResult(
            title="Plan accepted",
            output=f"The user accepted the plan.{changed} You are the build agent now, and may change files. "
            "Carry it out.\n\n"
            f"<plan>\n{accepted}\n</plan>",
            metadata={"planFile": str(file), "plan": accepted},
        )

    return Definition(await description(FACTS.name, agent), PlanExitArguments, execute)


def _question(file: str) -> Question:
    return Question(
        header="Accept the plan?",
        question=f"The plan is in {file}. You may change it there before you answer. Carry it out?",
        options=(QuestionOption("Yes", "Carry out the plan as it stands in the file."), QuestionOption("No", "Stop.")),
    )


FACTS = ToolFacts(
    "plan_exit", order=230, kind="switch_mode", rule="deny", needs=PLAN_MODE, for_subagents=False, is_prose=True
)
TOOL = define_tool(FACTS.name, init)
