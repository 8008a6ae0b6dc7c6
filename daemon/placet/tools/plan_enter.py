"""Offer the user to plan first, and go over to the plan agent when the user agrees."""

from placet.core.ports import Question, QuestionOption
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import AgentView, Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts
from placet.tools.planning.plan_file import PLAN_MODE
from placet.tools.texts import text_for

PLAN = Question(
    header="Plan first?",
    question="Make a plan before anything is changed? You can read and change it before it is carried out.",
    options=(
        QuestionOption("Yes", "Look and plan only; nothing is changed until you accept the plan."),
        QuestionOption("No", "Go on without a plan."),
    ),
    custom=False,
)


class PlanEnterArguments(Arguments):
    pass


async def init(agent: AgentView) -> Definition[PlanEnterArguments]:
    async def execute(arguments: PlanEnterArguments, context: ToolContext) -> ToolResult:
        answers = await context.session.ask_user([PLAN])
        if answers != [["Yes"]]:
            return ToolResult("No plan wanted", "The user wants no plan. Go on and do the work directly.")
        context.session.switch_agent("plan")
        return ToolResult(
            title="Planning",
            output="The user agreed to plan first. You are the plan agent now: look and plan, and change nothing.\n"
            f"Write the plan to {agent.plan_file}. When it is complete, call plan_exit.",
            metadata={"planFile": str(agent.plan_file)},
        )

    return Definition(text_for("plan_enter"), PlanEnterArguments, execute)


FACTS = ToolFacts(
    "plan_enter", order=220, kind="switch_mode", rule="deny", needs=PLAN_MODE, for_subagents=False, is_prose=True
)
TOOL = define_tool(FACTS.name, init)
