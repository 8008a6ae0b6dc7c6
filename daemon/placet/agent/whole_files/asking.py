"""Request of the profile `smallest`: the files and the task in one prompt. Pure."""

import re
from collections.abc import Mapping

from placet.model.token_estimate import text_tokens

USUAL_CONTEXT = 4096
"""Tokens of context that are counted on where the server tells none."""
_FRAME_TOKENS = 400
"""Tokens of the instructions and of the form of a request."""
_MARGIN = 1.25
"""Factor of the estimate for code, which has fewer characters a token than prose."""


_REQUEST = re.compile(r"\s*(?:can|could|would|will|please|may|shall|should)\b", re.IGNORECASE)
_IN_WORDS = "Answer in a few sentences. Do not write the file."


def fitting(texts: Mapping[str, str], prompt: str, context_size: int | None) -> dict[str, str]:
    """Return the files that fit the context together with an answer that repeats the files, the first files first."""
    room = (context_size or USUAL_CONTEXT) - _FRAME_TOKENS - text_tokens(prompt) * _MARGIN
    chosen: dict[str, str] = {}
    for path, text in texts.items():
        room -= 2 * text_tokens(text) * _MARGIN
        if room >= 0:
            chosen[path] = text
        else:
            room += 2 * text_tokens(text) * _MARGIN
    return chosen


def is_question(prompt: str) -> bool:
    """Return whether the user asks something, rather than for a change in the form of a question ("Could you …?")."""
    return prompt.rstrip().endswith("?") and _REQUEST.match(prompt) is None


def question(prompt: str, texts: Mapping[str, str], problem: str) -> str:
    """Return the prompt of a try; `problem`: what was wrong with the last try, or an empty text."""
    files = "\n\n".join(f"{path}\n{_fenced(text)}" for path, text in texts.items())
    asks = is_question(prompt)
    parts = [files, f"Question: {prompt}\n\n{_IN_WORDS}" if asks else f"Task: {prompt}"]
    if problem:
        parts.append(f"The files already have a first try of the task. It is not right yet:\n\n{problem}\n\nMend it.")
    return "\n\n".join(part for part in parts if part)


def _fenced(text: str) -> str:
    marks = "```"
    while marks in text:
        marks += "`"
    return f"{marks}\n{text if text.endswith(chr(10)) else f'{text}{chr(10)}'}{marks}"
