"""Request of the profile `smallest`: the files and the task in one prompt. Pure."""

from collections.abc import Mapping

from placet.model.token_estimate import text_tokens

USUAL_CONTEXT = 4096
"""Tokens of context that are counted on where the server tells none."""
_FRAME_TOKENS = 400
"""Tokens of the instructions and of the form of a request."""
_MARGIN = 1.25
"""Factor of the estimate for code, which has fewer characters a token than prose."""


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


def question(prompt: str, texts: Mapping[str, str], problem: str) -> str:
    """Return the prompt of a try; `problem`: what was wrong with the last try, or an empty text."""
    files = "\n\n".join(f"{path}\n{_fenced(text)}" for path, text in texts.items())
    parts = [files, f"Task: {prompt}"]
    if problem:
        parts.append(f"The files already have a first try of the task. It is not right yet:\n\n{problem}\n\nMend it.")
    return "\n\n".join(part for part in parts if part)


def _fenced(text: str) -> str:
    marks = "```"
    while marks in text:
        marks += "`"
    return f"{marks}\n{text if text.endswith(chr(10)) else f'{text}{chr(10)}'}{marks}"
