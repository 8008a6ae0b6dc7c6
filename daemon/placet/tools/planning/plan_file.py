"""The file in which a plan is written, read by the user, and changed before it is carried out."""

from pathlib import Path

from placet.core.errors import DocumentMissing, ToolError
from placet.tools.framework.context import ToolContext
from placet.tools.framework.facts import Need

PLAN_MODE = (
    Need("settings.experimental.plan_mode", "Set `experimental.planMode` to true to have it."),
    Need("plan_file", "There is no place for the plan file."),
)


async def read_plan(context: ToolContext, file: Path) -> str:
    """Return the plan as on the user's screen. Raises ToolError when no plan is written."""
    try:
        text = (await context.documents.read(file)).text.strip()
    except DocumentMissing:
        text = ""
    if not text:
        raise ToolError(f"There is no plan yet. Write it to {file} first, with the write tool.")
    return text
