"""Contents of prompts, answers and tool calls as attributes: JSON by the conventions, without keys. Pure."""

import json
import re
from collections.abc import Iterable, Sequence

from placet.core.messages import JsonObject, Part, TextPart
from placet.project.processes.environment import SECRET_SHAPES

_SECRETS = re.compile("|".join(SECRET_SHAPES))
LONGEST_CHARACTERS = 32_000
"""Largest size of an attribute; collectors reject larger spans as a whole."""


def shown(value: object) -> str:
    """Return the value as JSON (a text unchanged), cut to the largest size, with each key of a known shape blotted
    out.
    """
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return _SECRETS.sub("[secret]", text)[:LONGEST_CHARACTERS]


def message(role: str, parts: Sequence[JsonObject], finish: str | None = None) -> str:
    """Return the attribute for a single message in the form of the conventions."""
    written: JsonObject = {"role": role, "parts": list(parts)}
    if finish is not None:
        written["finish_reason"] = finish
    return shown([written])


def text_parts(parts: Iterable[Part]) -> list[JsonObject]:
    """Return the texts among the parts of a message."""
    return [{"type": "text", "content": part.text} for part in parts if isinstance(part, TextPart)]
