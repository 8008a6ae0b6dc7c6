"""Strategies to find a quotation, strictest first; each yields every possible place and changes nothing.

Names and order are OpenCode's (its edit tool). The ninth strategy, MultiOccurrence, is the result of `exact` under
replaceAll.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from placet.core.errors import EditError
from placet.text.indentation import indent_of, pair_indents
from placet.text.lines import to_lf
from placet.text.locate.content import Candidate, Content, Quotation
from placet.text.locate.similarity import (
    BLOCK_FLOOR,
    CONTEXT_FLOOR,
    LARGEST_COMPARISON,
    MOST_BLOCKS,
    longest_span,
    similarity,
)

Strategy = Callable[[Content, Quotation], Iterator[Candidate]]

_ESCAPE = re.compile(r"""\\([ntr'"`\\\n$])""")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
MOST_PLACES = 10_000
MOST_CHARACTERS = 2_000_000
"""Limit of places times characters of the quotation, because each place is examined closely."""
_MOST_DIFFERENT = 0x10FFFF
"""Number of characters available for different lines. A file small enough to edit has fewer lines worth quoting."""


def exact(content: Content, quotation: Quotation) -> Iterator[Candidate]:
    """Yield the places of Simple and MultiOccurrence: the exact text."""
    return _occurrences(content, quotation.text)


def line_trimmed(content: Content, quotation: Quotation) -> Iterator[Candidate]:
    """Yield the places of LineTrimmed: the same lines except for the white space at their ends."""
    for first in _runs(content.stripped, quotation.stripped):
        yield _paired(content, quotation, first, first + len(quotation.lines))


def block_anchor(content: Content, quotation: Quotation) -> Iterator[Candidate]:
    """Yield the places of BlockAnchor: the same first and last line, and a similar middle of about the same length."""
    size = len(quotation.lines)
    best: dict[int, tuple[float, int]] = {}
    for first, end in _anchored_blocks(content, quotation, range(3, longest_span(size) + 1)):
        alike = similarity(quotation.stripped[1:-1], content.stripped[first + 1 : end - 1], BLOCK_FLOOR)
        if alike >= BLOCK_FLOOR:
            best[first] = max(best.get(first, (0.0, 0)), (alike, end))
    for first, (alike, end) in best.items():
        yield _anchored(content, quotation, first, end, alike)


def whitespace_normalized(content: Content, quotation: Quotation) -> Iterator[Candidate]:
    """Yield the places of WhitespaceNormalized: any run of white space matches any other run; whole lines, or part of
    one line.
    """
    sought, size = " ".join(quotation.text.split()), len(quotation.lines)
    collapsed = [" ".join(line.split()) for line in content.lines]
    written = [number for number, line in enumerate(collapsed) if line]
    starts = list(accumulate((len(collapsed[number]) + 1 for number in written), initial=0))
    looked_at, line = -1, _Uncollapsed("")
    for at in _places(" ".join(collapsed[number] for number in written), sought):
        top, bottom = bisect_right(starts, at) - 1, bisect_left(starts, at + len(sought) + 1) - 1
        first, end = written[top], written[bottom] + 1
        if starts[top] == at and starts[bottom + 1] == at + len(sought) + 1 and end - first == size:
            yield _paired(content, quotation, first, end)
        elif size == 1 and top == bottom:
            if looked_at != first:
                looked_at, line = first, _Uncollapsed(content.lines[first])
            start, stop = line.place(at - starts[top]), line.place(at - starts[top] + len(sought) - 1) + 1
            candidate = Candidate(content.starts[first] + start, content.starts[first] + stop, trimmed=True)
            if _whole_words(content.text, candidate):
                yield candidate


class _Uncollapsed:
    """Places of a line's words, by their places in the line with each run of white space as one blank."""

    def __init__(self, line: str) -> None:
        words = [len(word) + 1 for word in line.split()]
        self._collapsed = array("q", accumulate(words, initial=0))
        self._own = array("q", (match.start() for match in re.finditer(r"\S+", line)))

    def place(self, offset: int) -> int:
        number = bisect_right(self._collapsed, offset) - 1
        return self._own[number] + offset - self._collapsed[number]


def indentation_flexible(content: Content, quotation: Quotation) -> Iterator[Candidate]:
    """Yield the places of IndentationFlexible: the same lines, all moved in or out together."""
    dedented = _dedented(quotation.lines)
    for first in _runs(content.stripped, quotation.stripped):
        end = first + len(quotation.lines)
        if _dedented(content.lines[first:end]) == dedented:
            yield _paired(content, quotation, first, end)


def escape_normalized(content: Content, quotation: Quotation) -> Iterator[Candidate]:
    r"""Yield the places of EscapeNormalized: `\n`, `\t`, `\"` and similar escapes read as the escaped characters, on
    either side.
    """
    quoted = unescaped(quotation.text)
    if not quoted.strip():
        return
    if quoted != quotation.text:
        yield from _occurrences(content, quoted)
    if "\\" not in content.text:
        return
    # A backslash before a line end is an escape, so each line is read with its end.
    plain = unescaped(f"{quotation.text.removesuffix(chr(10))}\n").split("\n")[:-1]
    lines = [unescaped(f"{line}\n")[:-1] if "\\" in line else line for line in content.lines]
    for first in _runs(lines, plain):
        end = first + len(plain)
        if any("\\" in line for line in content.lines[first:end]):
            yield content.whole_lines(first, end, with_last_end=quotation.with_last_end, indents=())


def trimmed_boundary(content: Content, quotation: Quotation) -> Iterator[Candidate]:
    """Yield the places of TrimmedBoundary: the text without the white space at both ends, whole words only."""
    for candidate in _occurrences(content, quotation.text.strip()):
        if _whole_words(content.text, candidate):
            yield Candidate(candidate.start, candidate.end, trimmed=True)


def context_aware(content: Content, quotation: Quotation) -> Iterator[Candidate]:
    """Yield the places of ContextAware: the same first and last line, equally many lines, and half of the non-blank
    lines between equal.
    """
    size, middle = len(quotation.lines), quotation.stripped[1:-1]
    for first, end in _anchored_blocks(content, quotation, range(size, size + 1)):
        own_middle = content.stripped[first + 1 : end - 1]
        pairs = [(line, own) for line, own in zip(middle, own_middle, strict=True) if line or own]
        equal = sum(line == own for line, own in pairs)
        alike = similarity(middle, own_middle, CONTEXT_FLOOR)
        if 2 * equal >= len(pairs) and alike >= CONTEXT_FLOOR:
            yield _anchored(content, quotation, first, end, alike)


STRATEGIES: tuple[tuple[Strategy, str], ...] = (
    (exact, ""),
    (line_trimmed, "comparing lines without the white space at their ends"),
    (block_anchor, "by its first and last line"),
    (whitespace_normalized, "comparing without regard to white space"),
    (indentation_flexible, "comparing without regard to indentation"),
    (escape_normalized, "reading backslash escapes"),
    (trimmed_boundary, "without the white space at its ends"),
    (context_aware, "by its first and last line and half of those between"),
)
"""Strategies, each with its method in words for the model."""


def unescaped(text: str) -> str:
    """Return the text with backslash escapes (written by models by mistake) resolved once."""
    return to_lf(_ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), text))


def _occurrences(content: Content, quoted: str) -> Iterator[Candidate]:
    return (Candidate(at, at + len(quoted)) for at in _places(content.text, quoted))


def _anchored_blocks(content: Content, quotation: Quotation, sizes: range) -> list[tuple[int, int]]:
    """Return the blocks (first, end) of the given sizes between the quotation's first and last line.

    Empty if these lines are blank, or too common to mark a place, or if comparing would take too long.
    """
    top, bottom = quotation.stripped[0], quotation.stripped[-1]
    if len(quotation.lines) < 3 or not top or not bottom:
        return []
    blocks: list[tuple[int, int]] = []
    ends = [number + 1 for number, line in enumerate(content.stripped) if line == bottom]
    for first in (number for number, line in enumerate(content.stripped) if line == top):
        near = slice(bisect_left(ends, first + sizes.start), bisect_left(ends, first + sizes.stop))
        blocks += [(first, end) for end in ends[near]]
        if len(blocks) > MOST_BLOCKS:
            return []
    length = sum(content.starts[end] - content.starts[first] for first, end in blocks)
    return blocks if length * len(quotation.text) <= LARGEST_COMPARISON else []


def _paired(content: Content, quotation: Quotation, first: int, end: int) -> Candidate:
    indents = pair_indents(quotation.lines, content.lines[first:end])
    return content.whole_lines(first, end, with_last_end=quotation.with_last_end, indents=indents)


def _anchored(content: Content, quotation: Quotation, first: int, end: int, alike: float) -> Candidate:
    """Return a block without line-by-line correspondence as a candidate: equal lines teach the indentation."""
    own = {line.strip(): line for line in reversed(content.lines[first:end])}
    shared = [line for line in quotation.lines if line.strip() in own]
    return content.whole_lines(
        first,
        end,
        with_last_end=quotation.with_last_end,
        indents=pair_indents(shared, [own[line.strip()] for line in shared]),
        similarity=alike,
    )


def _dedented(lines: tuple[str, ...]) -> list[str]:
    depth = min((len(indent_of(line)) for line in lines if line.strip()), default=0)
    return [line[depth:] if line.strip() else "" for line in lines]


def _whole_words(text: str, candidate: Candidate) -> bool:
    """Return whether neither end of the place lies inside a word."""
    starts_inside = candidate.start > 0 and _is_word(text[candidate.start - 1]) and _is_word(text[candidate.start])
    ends_inside = candidate.end < len(text) and _is_word(text[candidate.end - 1]) and _is_word(text[candidate.end])
    return not starts_inside and not ends_inside


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _places(text: str, quotation: str) -> Iterator[int]:
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


def _runs(lines: Sequence[str], quotation: Sequence[str]) -> Iterator[int]:
    """Yield the start of every run of lines equal to `quotation`, overlapping runs too. Raises as `_places` does.

    Each different line becomes one character: a search in text is linear also where the lines repeat themselves.
    """
    numbers = {line: number for number, line in enumerate(dict.fromkeys(quotation), start=1)}
    if len(numbers) > _MOST_DIFFERENT:
        return
    sought = "".join(chr(numbers[line]) for line in quotation)
    yield from _places("".join(chr(numbers.get(line, 0)) for line in lines), sought)
