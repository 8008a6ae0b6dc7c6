"""Texts about tools for the model: a Markdown file a tool, reviewed as prose."""

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


@cache
def text_for(tool_id: str) -> str:
    """Return the description of the tool from the tool's file in this directory."""
    return (FOLDER / f"{tool_id}.md").read_text("utf-8").strip()
