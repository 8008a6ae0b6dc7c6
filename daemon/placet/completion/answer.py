"""Way of a model's raw answer to the text that is shown: cleaned, cut at lines, at the suffix and at brackets. Pure.

The filters stand in the order in which they pay. An answer that is left with nothing raises Unusable with the reason.
"""

import re

from msgspec import Struct

from placet.completion.answer_cleaning import Unusable, cleaned
from placet.completion.answer_lines import (
    MOST_LINE_CHARACTERS,
    before_lines_of_suffix,
    cut_lines,
    first_line,
    indented,
    may_have_lines,
    opens_block,
    repeats_itself,
    repeats_neighbour,
    without_repetition,
)
from placet.completion.brackets import before_last_closer, imbalance, partnerless_closers
from placet.completion.cursor_context import CursorContext
from placet.completion.secrets import holds_secret

_MAY_FOLLOW = re.compile(r"[\s)\]}>'\"`;,:]*$")


class AnswerContext(Struct, frozen=True):
    """Place and manner of a question, by which its answer is judged."""

    context: CursorContext
    language: str = ""
    """LSP's language id of the document."""
    is_asked: bool = False
    """True if the user asked for the suggestion."""
    is_chat: bool = False
    """True if the model was asked in words, by a marked hole."""
    is_cut_off: bool = False
    """True if the answer ended at a limit, so that its last line may be half."""


def may_ask_here(context: CursorContext) -> bool:
    """Return whether a suggestion fits without a request: only closing signs stand behind the cursor on its line."""
    return _MAY_FOLLOW.match(context.line_after) is not None


def takes_lines(asked: AnswerContext) -> bool:
    """Return whether the answer may have several lines; else the first line is enough."""
    return may_have_lines(asked.context, asked.language, is_asked=asked.is_asked)


def shown_text(raw: str, asked: AnswerContext) -> str:
    """Return the text to show at the cursor, with LF. Raises Unusable with the reason for silence."""
    context, language = asked.context, asked.language
    text = cleaned(raw, context, language, is_chat=asked.is_chat)
    if not context.line_before.strip():
        text = _without_blank_start(text)
    elif opens_block(context.line_before, language) and text.startswith(("  ", "\t")):
        text = f"\n{text}"  # The body of the block, without the line end in front.
    text = _cut_to_lines(text, asked)
    text = _before_rest_of_line(text, context, language)
    text = _closed(text, context, language)
    return _judged(text, context)


def _without_blank_start(text: str) -> str:
    """Return the text without the empty lines at the beginning."""
    start = re.match(r"(?:[ \t]*\n)*", text)
    return text[start.end() :] if start is not None else text


def _cut_to_lines(text: str, asked: AnswerContext) -> str:
    context = asked.context
    if not takes_lines(asked):
        lines = [first_line(text)]
    else:
        lines = text.split("\n")
        if asked.is_cut_off and len(lines) > 1:
            del lines[-1]
    lines = indented(lines, context, asked.language)
    lines = without_repetition(lines)
    lines = cut_lines(lines, context, asked.language, is_asked=asked.is_asked)
    lines = before_lines_of_suffix(lines, context)
    if not lines or not "".join(lines).strip():
        raise Unusable("empty")
    if any(len(line) > MOST_LINE_CHARACTERS for line in lines):
        raise Unusable("a line is too long")
    if any(map(repeats_itself, lines)):
        raise Unusable("repetition")
    if repeats_neighbour(lines, context):
        raise Unusable("the same as the lines next to the cursor")
    return "\n".join(lines).rstrip()


def _before_rest_of_line(text: str, context: CursorContext, language: str) -> str:
    """Return the text up to the rest of the cursor's line, or without the end that equals the rest's beginning."""
    rest = context.line_after.rstrip()
    if not rest.strip():
        return text
    if rest[0] in ")]":
        text = text.rstrip().removesuffix(";")
    cuts = [text.find(rest)] if len(rest.strip()) > 2 and rest in text else []
    cuts += [len(text) - count for count in range(min(len(rest), len(text)), 0, -1) if text.endswith(rest[:count])]
    for cut in cuts:
        is_piece_of_word = len(text) - cut == 1 and rest[0].isalnum()
        if not is_piece_of_word and _stays_balanced(text, text[:cut], context, language):
            return text[:cut]
    return text


def _stays_balanced(text: str, cut: str, context: CursorContext, language: str) -> bool:
    whole, shorter = (imbalance(context.line_before + middle + context.line_after, language) for middle in (text, cut))
    return shorter <= whole


def _closed(text: str, context: CursorContext, language: str) -> str:
    """Return the text up to the first closing bracket that leaves a closing bracket without a partner. Raises
    Unusable.
    """
    text = text.rstrip()
    usual = partnerless_closers(context.prefix + context.suffix, language)
    while text and partnerless_closers(context.prefix + text + context.suffix, language) > usual:
        text = before_last_closer(text, language).rstrip()
    if context.line_after.strip() and not _stays_balanced("", text, context, language):
        raise Unusable("an open bracket before the rest of the line")
    return text


def _judged(text: str, context: CursorContext) -> str:
    """Return the text if there is something to show. Raises Unusable."""
    if not text.strip():
        raise Unusable("empty")
    if context.line_after.strip() and text.strip() == context.line_after.strip():
        raise Unusable("the same as the text behind the cursor")
    if holds_secret(text):
        raise Unusable("a text that looks like a key")
    return text
