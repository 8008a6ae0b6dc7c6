"""Memory of the suggestions that the user has rejected, so that none of them comes again at the same place."""

from collections import OrderedDict

from placet.completion.cursor_context import CursorContext

MOST_DOCUMENTS = 20
MOST_TEXTS = 30

Made = tuple[str, str]
"""Line above the cursor's line, and the cursor's line as a suggestion would make it."""


class Rejections:
    """Rejected suggestions of one editor, by the document; the oldest go first."""

    def __init__(self) -> None:
        self._documents: OrderedDict[str, OrderedDict[Made, None]] = OrderedDict()

    def add(self, document: str, context: CursorContext, text: str) -> None:
        """Remember that the user does not want the text at the cursor."""
        texts = self._documents.setdefault(document, OrderedDict())
        self._documents.move_to_end(document)
        texts[_made(context, text)] = None
        while len(texts) > MOST_TEXTS:
            texts.popitem(last=False)
        while len(self._documents) > MOST_DOCUMENTS:
            self._documents.popitem(last=False)

    def hold(self, document: str, context: CursorContext, text: str) -> bool:
        """Return whether the user has rejected the text at this place, also with another part of the line typed."""
        return _made(context, text) in self._documents.get(document, ())

    def forget(self, document: str) -> None:
        """Forget the rejections in a document that was closed."""
        self._documents.pop(document, None)


def _made(context: CursorContext, text: str) -> Made:
    above = context.lines_above[-1:]
    return (above[0] if above else "", f"{context.line_before}{text}{context.line_after}".strip())
