"""Finding the text a model quoted, and replacing exactly that."""

from placet.edits.locate.replace import replace_text

__all__ = ["replace_text"]
