"""Search for a text, or a run of lines, among many alike, in time linear in the searched text."""

from collections.abc import Iterator, Sequence

from placet.core.errors import EditError

MOST_PLACES = 10_000
MOST_CHARACTERS = 2_000_000
"""Limit of places times characters of the quotation, because each place is examined closely."""


def occurrences(text: str, quotation: str) -> Iterator[int]:
    """Yield every place of the text, overlapping places too: `aa` is twice in `aaa`, and so not unique.

    Raises EditError when the places are too many for the quotation to mean a single place.
    """
    most = min(MOST_PLACES, MOST_CHARACTERS // max(len(quotation), 1) + 1)
    count, at = 0, text.find(quotation)
    while at >= 0:
        if count == most:
            raise EditError(
                f"oldString is found more than {most} times. Quote more of the lines around the one you mean, exactly "
                "as the file has them; with replaceAll too, what is quoted to the letter may stand there any number "
                "of times."
            )
        count += 1
        yield at
        at = text.find(quotation, at + 1)


def runs(lines: Sequence[str], quotation: Sequence[str]) -> Iterator[int]:
    """Yield the start of every run of lines equal to `quotation`, overlapping runs too. Raises as `occurrences` does.

    Each different line becomes one character: a search in text is linear also where the lines repeat themselves.
    """
    numbers = {line: number for number, line in enumerate(dict.fromkeys(quotation), start=1)}
    if len(numbers) > _MOST_DIFFERENT:
        return
    sought = "".join(chr(numbers[line]) for line in quotation)
    yield from occurrences("".join(chr(numbers.get(line, 0)) for line in lines), sought)


_MOST_DIFFERENT = 0x10FFFF
"""Number of characters available for different lines. A file small enough to edit has fewer lines worth quoting."""
