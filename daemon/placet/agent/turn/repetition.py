"""Detection of an answer which repeats the same text over and over, as a model does after losing the thread.

Such an answer is stopped. Rulers, dots and blanks may repeat without limit, and so may text written into files:
arguments are not looked at.
"""

from placet.core.errors import TurnStopped

LEAST_TIMES = 100
LEAST_CHARACTERS = 4000
LONGEST_UNIT = 400
_LOOK_EVERY_CHARACTERS = 1000
_KEPT_CHARACTERS = (LEAST_TIMES + 1) * LONGEST_UNIT


class RepetitionWatch:
    """Watch which hears the text of an answer as the text comes."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._unlooked = 0

    def take(self, text: str) -> None:
        """Take the next text. Raises TurnStopped once the text so far ends in too many repetitions of the same unit.

        Too many are at least LEAST_TIMES repetitions with at least LEAST_CHARACTERS characters together.
        """
        self._pieces.append(text)
        self._unlooked += len(text)
        if self._unlooked < _LOOK_EVERY_CHARACTERS:
            return
        self._unlooked = 0
        self._pieces = ["".join(self._pieces)[-_KEPT_CHARACTERS:]]
        if unit := repeated_at_end(self._pieces[0]):
            raise TurnStopped(
                "repetition",
                f"The model's answer repeated the same text: “{_shortened(unit)}”.",
                hint="Prompt again with other words or another model; a higher temperature can help too.",
            )


def repeated_at_end(text: str) -> str:
    """Return the shortest unit which fills the end, or "": at most LONGEST_UNIT characters, with a letter or digit."""
    end = text[-LONGEST_UNIT:]
    earlier = text.rfind(end, 0, len(text) - 1)
    length = len(text) - LONGEST_UNIT - earlier
    if len(end) < LONGEST_UNIT or earlier < 0 or length > LONGEST_UNIT:
        return ""
    run = text[-max(LEAST_CHARACTERS, LEAST_TIMES * length) :]
    if len(run) < max(LEAST_CHARACTERS, LEAST_TIMES * length) or run[length:] != run[:-length]:
        return ""
    unit = run[-length:]
    return unit if any(map(str.isalnum, unit)) else ""


def _shortened(unit: str) -> str:
    words = " ".join(unit.split())
    return f"{words[:80]}…" if len(words) > 80 else words
