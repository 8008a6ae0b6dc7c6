"""Lines of an answer: how many may be shown, where they end, and how they are indented. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from placet.completion.answer_cleaning import PROSE_LANGUAGES
from placet.completion.brackets import line_state, open_brackets
from placet.completion.cursor_context import CursorContext
from placet.text.indentation import indent_of

MOST_LINES = 12
MOST_LINES_ASKED = 40
MOST_LINE_CHARACTERS = 240
"""Limit of one line of an answer; a longer line is no code that a user reads at a glance."""

_BLOCK_OPENER = re.compile(r"(?:[{(\[]|=>|->|\b(?:then|do|else|begin|try|finally|of|where))\s*$")
_ONLY_CLOSERS = re.compile(r"[\s)\]};,]*")
_BLOCK_LANGUAGE_OPENER = re.compile(r"^\s*(?:def|class|module|if|unless|while|function|local function|for|case)\b")
_END_LANGUAGES = frozenset(("ruby", "lua", "elixir", "julia", "crystal"))
_CONTINUES_BLOCK = re.compile(
    r"\s*(?:[)\]}]|(?:else|elif|elsif|elseif|except|finally|catch|rescue|ensure|case|default|end|fi|done|esac|until)\b)"
)
_CLOSES_BLOCK = re.compile(r"\s*(?:[)\]};,]+|end\b.*|fi|done|esac)\s*;?\s*$")
_USUAL_UNITS = {"python": "    ", "go": "\t"}
"""Units of indentation for a document without an indented line: PEP 8, and gofmt."""
_TAB_COLUMNS = 4
_RARE_STEP = 5
"""A step of indentation counts if at least one in so many steps around the cursor is the same."""


def opens_block(line_before: str, language: str) -> bool:
    """Return whether a block begins behind this beginning of a line."""
    if language in _END_LANGUAGES and _BLOCK_LANGUAGE_OPENER.match(line_before):
        return True
    if line_before.endswith(":"):
        return not open_brackets(line_before, language)  # Else a type, a key or a slice comes.
    return _BLOCK_OPENER.search(line_before) is not None


def may_have_lines(context: CursorContext, language: str, *, is_asked: bool) -> bool:
    """Return whether several lines may be shown: on an empty line, behind the beginning of a block, or on request.

    Text behind the cursor, a comment, a string and prose take a single line.
    """
    state = line_state(context.line_before, language)
    if context.line_after.strip() or state.in_comment or state.in_string:
        return False
    if is_asked:
        return True
    if language in PROSE_LANGUAGES:
        return False
    return not context.line_before.strip() or opens_block(context.line_before, language)


def first_line(text: str) -> str:
    """Return the first line of the text."""
    return text.split("\n", 1)[0]


def cut_lines(lines: list[str], context: CursorContext, language: str, *, is_asked: bool) -> list[str]:
    """Return the lines up to the end of the block at the cursor: one block, one paragraph, and at most so many lines.

    The first of the lines goes on from the cursor.
    """
    base = _columns(context.line_before or lines[0])
    goes_on = not opens_block(context.line_before, language)
    kept = lines[:1]
    for number, line in enumerate(lines[1 : MOST_LINES_ASKED if is_asked else MOST_LINES], 1):
        if not line.strip():
            if _ends_paragraph(lines, number, base, goes_on=goes_on):
                break
        elif _columns(line) < base:
            break
        elif not goes_on and _columns(line) == base:
            if _CONTINUES_BLOCK.match(line):
                kept.append(line)
            if not _CONTINUES_BLOCK.match(line) or _CLOSES_BLOCK.match(line):
                break
            continue
        kept.append(line)
    return _without_blank_end(kept)


def _ends_paragraph(lines: Sequence[str], number: int, base: int, *, goes_on: bool) -> bool:
    """Return whether the blank line ends the answer: two blank lines, or a new paragraph at the cursor's depth."""
    if number + 1 >= len(lines) or not lines[number + 1].strip():
        return True
    return goes_on and _columns(lines[number + 1]) <= base


def before_lines_of_suffix(lines: list[str], context: CursorContext) -> list[str]:
    """Return the lines up to the first line which stands below the cursor already."""
    below = [line.rstrip() for line in context.lines_below]
    coming = [line for line in below if _tells_something(line)][:3]
    for number, line in enumerate(lines):
        if number == 0 and context.line_before.strip():
            continue
        # A first line may come again soon, such as a decorator; the very next line is never meant.
        is_there = line.rstrip() in coming if number else context.line_before + line.rstrip() in below[:1]
        if is_there and _tells_something(line):
            lines = lines[:number]
            break
    for count in range(min(len(lines), len(below)), 0, -1):
        end = [line.rstrip() for line in lines[-count:]]
        # Closing brackets alone are left to the rule of brackets, which knows whether the document needs them.
        is_same = end == below[:count] and not _ONLY_CLOSERS.fullmatch("".join(end))
        if is_same and count < len(lines):
            return _without_blank_end(lines[:-count])
    return _without_blank_end(lines)


def without_repetition(lines: list[str]) -> list[str]:
    """Return the lines up to the place where one line, or two lines, come for the second of three times."""
    for number in range(len(lines)):
        for period in (1, 2):
            first = lines[number : number + period]
            again = [lines[number + period * turn :][:period] for turn in (1, 2)]
            if all(line.strip() for line in first) and all(turn == first for turn in again):
                return lines[: number + period]
    return lines


def repeats_itself(line: str) -> bool:
    """Return whether the line is the same piece of text five times in a row; a ruler of one character is none."""
    found = re.search(r"(.{3,40}?)\1{4,}", line[:1000])
    return found is not None and len(set(found[1])) > 1


def repeats_neighbour(lines: Sequence[str], context: CursorContext) -> bool:
    """Return whether the answer makes the cursor's line a copy of a line next to the cursor, or a copy of the lines
    above.
    """
    made = [context.line_before + lines[0], *lines[1:]]
    whole = (made[0] + context.line_after).strip()
    above = [line.strip() for line in context.lines_above if line.strip()]
    below = [line.strip() for line in context.lines_below if line.strip()]
    stripped = [line.strip() for line in made]
    if len(stripped) > 1:
        filled = [line for line in stripped if line]
        return filled == above[-len(filled) :] or filled == below[: len(filled)]
    if not _tells_something(whole):
        return False
    return whole in (above[-1:] + below[:1]) or (len(whole) >= 10 and whole in above[-3:])


def indented(lines: list[str], context: CursorContext, language: str) -> list[str]:
    """Return the lines in the file's own unit of indentation; the first line goes on from the cursor's column."""
    first = lines[0]
    if not context.line_before.strip():
        first = _within_depth(first, context, language)
    elif context.line_before[-1] in " \t" and not line_state(context.line_before, language).in_string:
        first = first.lstrip(" \t")
    unit = _unit(context) or _USUAL_UNITS.get(language, "")
    if not unit:
        return [first, *lines[1:]]
    later = [_in_unit(line, unit) for line in lines[1:]]
    return [first, *_scaled(later, context, unit, language)]


def _within_depth(first: str, context: CursorContext, language: str) -> str:
    """Return the first line on an empty line, with no more indentation than fits behind the line above."""
    above = next((line for line in reversed(context.lines_above) if line.strip()), "")
    opens = opens_block(above, language)
    if not opens and context.line_before:
        return first.lstrip(" \t")
    deepest = indent_of(above) + ((_unit(context) or "    ") if opens else "")
    room = max(_columns(deepest) - _columns(context.line_before), 0)
    if _columns(first) <= room:
        return first
    return deepest[len(context.line_before) :] + first.lstrip(" \t")


def _unit(context: CursorContext) -> str:
    """Return the unit of indentation of the lines around the cursor; empty if no line is indented."""
    lines = [line for line in (*context.lines_above, *context.lines_below) if line.strip()]
    indents = [indent_of(line) for line in lines]
    if any(indent.startswith("\t") for indent in indents):
        return "\t"
    steps = Counter(len(deeper) - len(indent) for indent, deeper in pairwise(indents) if len(deeper) > len(indent) + 1)
    if not steps and context.line_before and not context.line_before.strip():
        return "\t" if context.line_before[0] == "\t" else context.line_before
    # Lines that go on after a bracket may be deeper, and text in strings has steps of its own.
    usual = [step for step, count in steps.items() if count * _RARE_STEP >= steps.total()]
    return " " * min((*usual, 8)) if usual else ""


def _in_unit(line: str, unit: str) -> str:
    """Return the line with its tabs as the unit, or its groups of spaces as tabs."""
    indent = indent_of(line)
    if unit == "\t":
        if " " not in indent:
            return line
        width = 2 if _columns(indent) % _TAB_COLUMNS else _TAB_COLUMNS
        return "\t" * (_columns(indent) // width) + line[len(indent) :]
    return indent.replace("\t", unit) + line[len(indent) :] if "\t" in indent else line


def _scaled(lines: list[str], context: CursorContext, unit: str, language: str) -> list[str]:
    """Return the lines of a new block with the file's unit in place of another width."""
    if unit == "\t" or not opens_block(context.line_before, language):
        return lines
    base = len(indent_of(context.line_before))
    depths = [len(indent_of(line)) - base for line in lines if line.strip()]
    width = depths[0] if depths else 0
    if width <= 0 or width == len(unit) or any(depth < 0 or depth % width for depth in depths):
        return lines
    return [_moved(line, base, width, unit) for line in lines]


def _moved(line: str, base: int, width: int, unit: str) -> str:
    if not line.strip():
        return line
    levels = (len(indent_of(line)) - base) // width
    return " " * base + unit * levels + line.lstrip(" ")


def _columns(line: str) -> int:
    return len(indent_of(line).expandtabs(_TAB_COLUMNS))


def _tells_something(line: str) -> bool:
    """Return whether the line is more than closing brackets and a short word."""
    return len(line.strip()) >= 4 and any(character.isalnum() for character in line)


def _without_blank_end(lines: list[str]) -> list[str]:
    end = len(lines)
    while end > 1 and not lines[end - 1].strip():
        end -= 1
    return lines[:end]
