"""Search for the text quoted by a model, and replacement of exactly the text found."""

from placet.text.locate.replace import replace_text

__all__ = ["replace_text"]
