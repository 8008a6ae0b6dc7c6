"""What the model reads about each tool: one Markdown file a tool, reviewed as prose."""

from functools import cache
from importlib.resources import files


@cache
def text_for(tool_id: str) -> str:
    """The description of the tool, as its file in this directory has it."""
    return files(__name__).joinpath(f"{tool_id}.md").read_text("utf-8").strip()
