"""Limit of the length of an answer: an endless answer of a provider must not fill the memory of the daemon."""

from collections.abc import Iterable

from placet.model.frames import Arguments, Piece, Text, Thought

MOST_CHARACTERS = 32_000_000
"""Limit of texts, thoughts and arguments together: some eight million tokens."""


class AnswerTooLong(Exception):
    """Raised when the answer is longer than MOST_CHARACTERS."""

    def __init__(self) -> None:
        super().__init__(f"its answer is longer than {MOST_CHARACTERS} characters")


class AnswerBounds:
    """Counts the characters of one answer."""

    def __init__(self) -> None:
        self._left = MOST_CHARACTERS

    def take(self, pieces: Iterable[Piece]) -> None:
        """Count the pieces. Raises AnswerTooLong."""
        self._left -= sum(len(piece.text) for piece in pieces if isinstance(piece, Text | Thought | Arguments))
        if self._left < 0:
            raise AnswerTooLong
