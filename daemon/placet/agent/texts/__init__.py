"""Texts which the model reads beside the tools' texts: one Markdown file each, reviewed as prose."""

from functools import cache
from pathlib import Path


@cache
def text_for(name: str) -> str:
    """Return the text of the file with this name in this directory."""
    return (Path(__file__).parent / f"{name}.md").read_text("utf-8").strip()
