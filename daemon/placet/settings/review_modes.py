"""Review modes: when the user decides about the agent's changes (docs/REVIEW.md)."""

from typing import Literal, NamedTuple

ReviewMode = Literal["ask", "stage", "apply"]
"""Ways of reviewing changes: before the agent goes on, before the changes are written, or afterwards."""


class ReviewWords(NamedTuple):
    """Words for a review mode, as each front end shows the mode."""

    title: str
    effect: str
    """Effect as a clause; `{way}` are the commands of the front end for the changes."""

    def shown(self, way: str) -> str:
        """Return the effect with the commands of the front end for the changes."""
        return self.effect.format(way=way)


REVIEW_MODES: dict[ReviewMode, ReviewWords] = {
    "ask": ReviewWords(
        "Ask before each change",
        "each change waits for your answer, unless a rule or an earlier answer allows the change",
    ),
    "stage": ReviewWords(
        "Collect changes for review",
        "edits are written when you accept; what rules or commands write at once is listed too: {way}",
    ),
    "apply": ReviewWords(
        "Apply changes, review afterwards",
        "edits are written at once, protected files excepted; you keep or undo each edit: {way}",
    ),
}


def review_mode(word: str) -> ReviewMode | None:
    """Return the mode of this name, or None."""
    return next((mode for mode in REVIEW_MODES if mode == word), None)
