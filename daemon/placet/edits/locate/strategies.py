"""The ways to find a quotation, strictest first; each yields every place it holds possible, nothing being changed.

Names and order are OpenCode's (its edit tool). Its ninth, MultiOccurrence, is what `exact` gives under replaceAll.
"""

import re
from collections.abc import Callable, Iterator

from placet.edits.indentation import indent_of, pair_indents
from placet.edits.lines import to_lf
from placet.edits.locate.content import Candidate, Content, Quotation
from placet.edits.locate.similarity import (
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


def exact(content: Content, quotation: Quotation) -> Iterator[Candidate]:
    """Simple, and MultiOccurrence: the very text."""
    return _occurrences(content, quotation.text)


def line_trimmed(content: Content, quotation: Quotation) -> Iterator[Candidate]:
    """LineTrimmed: the same lines but for the white space at their ends."""
    for first, end in content.windows(len(quotation.lines)):
        if content.stripped[first] == quotation.stripped[0] and content.stripped[first:end] == quotation.stripped:
            yield _paired(content, quotation, first, end)


def block_anchor(content: Content, quotation: Quotation) -> Iterator[Candidate]:
    """BlockAnchor: the first and the last line, and between them something alike, of about the same length."""
    size = len(quotation.lines)
    best: dict[int, tuple[float, int]] = {}
    for first, end in _anchored_blocks(content, quotation, range(3, longest_span(size) + 1)):
        alike = similarity(quotation.stripped[1:-1], content.stripped[first + 1 : end - 1], BLOCK_FLOOR)
        if alike >= BLOCK_FLOOR:
            best[first] = max(best.get(first, (0.0, 0)), (alike, end))
    for first, (alike, end) in best.items():
        yield _anchored(content, quotation, first, end, alike)


def whitespace_normalized(content: Content, quotation: Quotation) -> Iterator[Candidate]:
    """WhitespaceNormalized: any run of white space stands for any other; whole lines, or part of one line."""
    wanted = " ".join(quotation.text.split())
    collapsed = [" ".join(line.split()) for line in content.lines]
    size = len(quotation.lines)
    part = re.compile(r"[^\S\n]+".join(re.escape(word) for word in quotation.text.split())) if size == 1 else None
    for first, end in content.windows(size):
        begins = collapsed[first] and collapsed[end - 1] and wanted.startswith(collapsed[first])
        if begins and " ".join(filter(None, collapsed[first:end])) == wanted:
            yield _paired(content, quotation, first, end)
        elif part:
            for match in part.finditer(content.lines[first]):
                found = Candidate(content.starts[first] + match.start(), content.starts[first] + match.end())
                if _whole_words(content.text, found):
                    yield Candidate(found.start, found.end, trimmed=True)


def indentation_flexible(content: Content, quotation: Quotation) -> Iterator[Candidate]:
    """IndentationFlexible: the same lines, all moved in or out together."""
    wanted = _dedented(quotation.lines)
    for first, end in content.windows(len(quotation.lines)):
        if content.stripped[first:end] == quotation.stripped and _dedented(content.lines[first:end]) == wanted:
            yield _paired(content, quotation, first, end)


def escape_normalized(content: Content, quotation: Quotation) -> Iterator[Candidate]:
    r"""EscapeNormalized: `\n`, `\t`, `\"` and their like read as what they stand for, on either side."""
    wanted = unescaped(quotation.text)
    if not wanted.strip():
        return
    if wanted != quotation.text:
        yield from _occurrences(content, wanted)
    if "\\" not in content.text:
        return
    plain = Quotation.of(wanted)
    for first, end in content.windows(len(plain.lines)):
        block = "\n".join(content.lines[first:end])
        if "\\" in block and unescaped(block) == wanted.removesuffix("\n"):
            yield content.whole_lines(first, end, with_last_end=plain.with_last_end, indents=())


def trimmed_boundary(content: Content, quotation: Quotation) -> Iterator[Candidate]:
    """TrimmedBoundary: the text without the white space at its two ends, whole words only."""
    for found in _occurrences(content, quotation.text.strip()):
        if _whole_words(content.text, found):
            yield Candidate(found.start, found.end, trimmed=True)


def context_aware(content: Content, quotation: Quotation) -> Iterator[Candidate]:
    """ContextAware: first and last line, as many lines, and half of those between that are not blank equal."""
    size, middle = len(quotation.lines), quotation.stripped[1:-1]
    for first, end in _anchored_blocks(content, quotation, range(size, size + 1)):
        there = content.stripped[first + 1 : end - 1]
        told = [(line, own) for line, own in zip(middle, there, strict=True) if line or own]
        equal = sum(line == own for line, own in told)
        alike = similarity(middle, there, CONTEXT_FLOOR)
        if 2 * equal >= len(told) and alike >= CONTEXT_FLOOR:
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
"""Each with what it did, in words for the model."""


def unescaped(text: str) -> str:
    """The text with the backslash escapes models write by mistake resolved once."""
    return to_lf(_ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), text))


def _occurrences(content: Content, wanted: str) -> Iterator[Candidate]:
    """Every place, overlapping ones too: `aa` is twice in `aaa`, and so not unique."""
    at = content.text.find(wanted)
    while at >= 0:
        yield Candidate(at, at + len(wanted))
        at = content.text.find(wanted, at + 1)


def _anchored_blocks(content: Content, quotation: Quotation, sizes: range) -> list[tuple[int, int]]:
    """The blocks (first, end) of one of the sizes that begin and end with the quotation's first and last line.

    None where these lines are blank, or so common that they mark no place, or comparing would take too long.
    """
    top, bottom = quotation.stripped[0], quotation.stripped[-1]
    if len(quotation.lines) < 3 or not top or not bottom:
        return []
    blocks: list[tuple[int, int]] = []
    for first in (number for number, line in enumerate(content.stripped) if line == top):
        ends = range(first + sizes.start, min(first + sizes.stop, len(content.lines) + 1))
        blocks += [(first, end) for end in ends if content.stripped[end - 1] == bottom]
        if len(blocks) > MOST_BLOCKS:
            return []
    length = sum(content.starts[end] - content.starts[first] for first, end in blocks)
    return blocks if length * len(quotation.text) <= LARGEST_COMPARISON else []


def _paired(content: Content, quotation: Quotation, first: int, end: int) -> Candidate:
    indents = pair_indents(quotation.lines, content.lines[first:end])
    return content.whole_lines(first, end, with_last_end=quotation.with_last_end, indents=indents)


def _anchored(content: Content, quotation: Quotation, first: int, end: int, alike: float) -> Candidate:
    """A block whose lines need not correspond one to one: those that are equal teach the indentation."""
    own = {line.strip(): line for line in reversed(content.lines[first:end])}
    known = [line for line in quotation.lines if line.strip() in own]
    return content.whole_lines(
        first,
        end,
        with_last_end=quotation.with_last_end,
        indents=pair_indents(known, [own[line.strip()] for line in known]),
        similarity=alike,
    )


def _dedented(lines: tuple[str, ...]) -> list[str]:
    depth = min((len(indent_of(line)) for line in lines if line.strip()), default=0)
    return [line[depth:] if line.strip() else "" for line in lines]


def _whole_words(text: str, found: Candidate) -> bool:
    """Neither end of the place lies inside a word."""
    starts_inside = found.start > 0 and _is_word(text[found.start - 1]) and _is_word(text[found.start])
    ends_inside = found.end < len(text) and _is_word(text[found.end - 1]) and _is_word(text[found.end])
    return not starts_inside and not ends_inside


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
