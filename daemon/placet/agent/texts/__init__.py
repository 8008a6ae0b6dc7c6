"""What the model reads beside its tools: one Markdown file each, reviewed as prose."""

from functools import cache
from importlib.resources import files


@cache
def text_for(name: str) -> str:
    """The text of the file of this name in this directory."""
    return files(__name__).joinpath(f"{name}.md").read_text("utf-8").strip()
