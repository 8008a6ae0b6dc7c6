"""Cache of answers, which also serves the user who types along a suggestion, or deletes and retypes a character."""

from collections import OrderedDict

from msgspec import Struct

from placet.completion.cursor_context import CursorContext

MOST_ENTRIES = 200
MOST_TYPED = 120
"""Largest number of characters typed since a request for which its answer is still found."""
_PREFIX_CHARACTERS = 300
_SUFFIX_CHARACTERS = 100
_CLOSED_BY_EDITOR = frozenset(")]}'\"`")


class Place(Struct, frozen=True):
    """Text next to a cursor in one document."""

    document: str
    prefix_end: str
    suffix_start: str


class Answered(Struct, frozen=True):
    """Answer as far as the model has written it."""

    text: str
    is_cut_off: bool = False


class AnswerCache:
    """Cache of the raw answers for one editor; the least recently used answer goes first."""

    def __init__(self, most: int = MOST_ENTRIES) -> None:
        self._most = most
        self._answers: OrderedDict[Place, Answered] = OrderedDict()

    def put(self, document: str, context: CursorContext, answer: Answered) -> None:
        """Keep the answer for the cursor's place."""
        place = _place(document, context.prefix, context.suffix)
        self._answers[place] = answer
        self._answers.move_to_end(place)
        while len(self._answers) > self._most:
            self._answers.popitem(last=False)

    def find(self, document: str, context: CursorContext) -> Answered | None:
        """Return the rest of a kept answer whose beginning the user has typed since, or None."""
        suffixes = [context.suffix]
        if context.suffix[:1] in _CLOSED_BY_EDITOR and context.suffix:
            # An editor that closes brackets has put the closing bracket behind the cursor.
            suffixes.append(context.suffix[1:])
        for typed in range(min(MOST_TYPED, len(context.prefix)) + 1):
            end = len(context.prefix) - typed
            for suffix in suffixes[: 1 + (typed > 0)]:
                place = _place(document, context.prefix[:end], suffix)
                answer = self._answers.get(place)
                if answer is not None and (rest := typed_along(answer, context.prefix[end:])) is not None:
                    self._answers.move_to_end(place)
                    return rest
        return None

    def clear(self) -> None:
        """Forget all answers."""
        self._answers.clear()


def typed_along(answer: Answered, typed: str) -> Answered | None:
    """Return the rest of the answer behind the typed text, or None if the user has typed something else."""
    if not answer.text.startswith(typed) or (typed and len(typed) == len(answer.text)):
        return None
    return Answered(answer.text[len(typed) :], answer.is_cut_off)


def _place(document: str, prefix: str, suffix: str) -> Place:
    return Place(document, prefix[-_PREFIX_CHARACTERS:], suffix[:_SUFFIX_CHARACTERS])
