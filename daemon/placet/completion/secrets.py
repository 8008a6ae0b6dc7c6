"""Secrets in the text of a request or of an answer: keys by their shape. Pure."""

import re
from functools import lru_cache

from placet.project.processes.environment import SECRET_SHAPES, is_secret_name

REMOVED = "[key]"

_SHAPES = re.compile("|".join((*SECRET_SHAPES, r"(?<=://)[^/@\s:]+:[^/@\s]+(?=@)")))
_RANDOM = re.compile(r"(?<=[\"'`])[A-Za-z0-9+/_=-]{32,}(?=[\"'`])")
_NAMED = re.compile(
    r"(?i)((?:pass(?:word|wd|phrase|code)|secret|token|api_?key|credential)s?"
    r"\w{0,40}[\"'\]]{0,2}\s{0,9}[:=]{1,2}\s{0,9}[\"'])[^\"'\s]{6,}(?=[\"'])"
)
"""Quoted text that a name calls a secret, up to the text."""
_VARIABLE = re.compile(r"^(\s*(?:export\s+|set\s+)?([A-Z][A-Z0-9_]{2,})=)\S{4,}$")
_KEY_LINES = re.compile(r"(?:^[A-Za-z0-9+/]{60,76}={0,2}$\n?){2,}", re.MULTILINE)
"""Lines of a key or a certificate in base64 (RFC 7468), also without the line that begins the key."""
_LEAST_KINDS = 3


def holds_secret(text: str) -> bool:
    """Return whether the text holds a key of a known shape, or a quoted text that looks like random characters."""
    return _SHAPES.search(text) is not None or any(_is_random(found[0]) for found in _RANDOM.finditer(text))


def without_secrets(text: str) -> str:
    """Return the text with a mark in place of each key, so that no key leaves in a request."""
    return "\n".join(map(_line_without_secrets, _KEY_LINES.sub(f"{REMOVED}\n", text).split("\n")))


@lru_cache(maxsize=4096)
def _line_without_secrets(line: str) -> str:
    """Return the line without keys. Kept: most lines come again with the next keystroke."""
    line = _NAMED.sub(rf"\1{REMOVED}", _SHAPES.sub(REMOVED, line))
    if (variable := _VARIABLE.match(line)) is not None and is_secret_name(variable[2]):
        return variable[1] + REMOVED
    return _RANDOM.sub(lambda found: REMOVED if _is_random(found[0]) else found[0], line)


def _is_random(text: str) -> bool:
    """Return whether the text mixes small and large letters and digits, as keys do, and names and paths do not."""
    if text.count("/") > 2 or text.count("-") > 4 or text.count("_") > 4:
        return False
    kinds = (str.islower, str.isupper, str.isdigit)
    return sum(any(map(kind, text)) for kind in kinds) >= _LEAST_KINDS and len(set(text)) > 14
