"""Cleaning of a model's raw answer: thinking, fences, prose, control tokens and repeated beginnings. Pure."""

import re

from placet.completion.brackets import line_state
from placet.completion.cursor_context import CursorContext
from placet.completion.formats import without_control_tokens
from placet.text.lines import to_lf

PROSE_LANGUAGES = frozenset(("markdown", "plaintext", "latex", "tex", "restructuredtext", "asciidoc", "html", "org"))
"""Languages in which a sentence is text like any other."""

_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL)
_OPEN_THINKING = re.compile(r"<think(?:ing)?>")
_FENCE = re.compile(r"```[\w+#.-]*[ \t]*\n(.*?)(?:\n?[ \t]*```|\Z)", re.DOTALL)
_FENCE_LINE = re.compile(r"(?m)^([ \t]*)```[\w+#.-]*[ \t]*$")
_PROSE = re.compile(
    r"\s*(?:here(?:'s| is| are)\b|sure\b[!,.]|certainly\b[!,.]|of course\b|okay\b[,.]|sorry\b|as an ai\b|note that\b"
    r"|the (?:missing|completed?|following|code|function|answer)\b.*\b(?:is|are|should|would|can|returns?)\b"
    r"|to complete\b|this (?:code|function|completes|implementation|will)\b"
    r"|i(?:'ll| will| would| can(?:not|'t)?|'m| am)\b"
    r"|you (?:can|should|need)\b|it (?:looks|seems|appears)\b|explanation:|output:|answer:)",
    re.IGNORECASE,
)
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffd\u202a-\u202e\u2066-\u2069]")
"""Characters that no code needs: controls, halves of characters, and marks that change the direction of text."""
_LEAST_REPEATED = 8
_LEAST_REPEATED_BY_CHAT = 3


class Unusable(Exception):
    """Raised when an answer holds nothing to show; the text is the reason, for the log and the measures."""


def cleaned(raw: str, context: CursorContext, language: str, *, is_chat: bool) -> str:
    """Return the answer as text for the cursor, with LF. `is_chat`: the model was asked in words. Raises Unusable."""
    text = _THINKING.sub("", to_lf(raw))
    if _OPEN_THINKING.search(text):
        raise Unusable("thinking")
    text = without_control_tokens(text)
    if language != "markdown":
        text = _without_fences(text)
    if _UNFIT.search(text):
        raise Unusable("unfit characters")
    if not text.strip():
        raise Unusable("empty")
    if _is_prose(text, context, language):
        raise Unusable("prose")
    return _without_repeated_beginning(text, context, _LEAST_REPEATED_BY_CHAT if is_chat else _LEAST_REPEATED)


def _without_fences(text: str) -> str:
    """Return the code in the first fence, or the code before a fence that stands behind code."""
    mark = _FENCE_LINE.search(text)
    if mark is None:
        return text
    start = mark.end(1)
    before = text[:start]
    fenced = _FENCE.match(text, start)
    if fenced is not None and (not before.strip() or before.rstrip().endswith(":") or _PROSE.match(before)):
        return fenced[1]
    return before.rstrip()


def _is_prose(text: str, context: CursorContext, language: str) -> bool:
    if language in PROSE_LANGUAGES or not _PROSE.match(text):
        return False
    state = line_state(context.line_before, language)
    return not (state.in_comment or state.in_string)


def _without_repeated_beginning(text: str, context: CursorContext, least: int) -> str:
    """Return the text without the beginning of the cursor's line, which models like to repeat, alone or with the line
    above.
    """
    line = context.line_before
    if len(line.strip()) < least:
        return text
    above = context.lines_above[-1:]
    for repeated in (*(f"{text_above}\n{line}" for text_above in above if text_above.strip()), line):
        if text.lstrip().startswith(repeated.lstrip()):
            return text.lstrip()[len(repeated.lstrip()) :]
    return text
