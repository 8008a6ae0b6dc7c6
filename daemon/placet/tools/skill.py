"""Load a skill: the user's instructions for a kind of task, with the files of the instructions."""

from pathlib import Path
from xml.sax.saxutils import quoteattr

from pydantic import Field

from placet.core.errors import ToolError
from placet.core.executor import in_thread
from placet.permissions.ask import Ask
from placet.project.skills import Skill, SkillError, files_of, read_skill
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import AgentView, Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.description import description, skills_of
from placet.tools.framework.facts import ToolFacts

MOST_FILES = 10


class SkillArguments(Arguments):
    name: str = Field(min_length=1, description="The skill's name, as it is listed.")


async def init(agent: AgentView) -> Definition[SkillArguments]:
    skills = await skills_of(agent)

    async def execute(arguments: SkillArguments, context: ToolContext) -> ToolResult:
        name = arguments.name
        if name not in skills:
            raise ToolError(f"There is no skill `{name}`. Skills: {', '.join(skills) or 'none'}.")
        await context.ask(Ask("skill", (name,), always=(name,), title=f"Load the skill {name}"))
        try:
            skill = await in_thread(read_skill, skills[name].file, agent.vouches, skills[name].bundle)
        except SkillError as error:
            raise ToolError(f"The skill `{name}` cannot be loaded: {error}") from error
        files = await in_thread(files_of, skill, MOST_FILES)
        directory = skill.file.parent
        return ToolResult(
            title=f"Loaded skill: {name}",
            output=_shown(skill, directory, files),
            metadata={"name": name, "dir": str(directory)},
        )

    return Definition(await description(FACTS.name, agent), SkillArguments, execute, concurrent=True)


def _shown(skill: Skill, directory: Path, files: list[Path]) -> str:
    listed = "\n".join(f"<file>{file}</file>" for file in files)
    return (
        f"<skill_content name={quoteattr(skill.name)}>\n"
        f"# Skill: {skill.name}\n\n"
        f"{skill.body.strip()}\n\n"
        f"Base directory: {directory.as_uri()}\n"
        "Relative paths in this skill start there. Some of its files:\n\n"
        f"<skill_files>\n{listed}\n</skill_files>\n"
        "</skill_content>"
    )


FACTS = ToolFacts("skill", order=190, kind="think", rule="allow", is_prose=True)
TOOL = define_tool(FACTS.name, init)
