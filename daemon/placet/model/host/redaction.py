"""Removal of keys from the model host's output: providers echo keys in errors, and libraries print keys."""

import io
import os
import re
from collections.abc import Callable
from typing import TextIO
from urllib.parse import quote

from placet.project.processes.environment import SECRET_SHAPES, secrets_in

PUT_IN = "[key]"

# A shorter value may be an ordinary word ("none", "local"), which may be shown without harm.
_SHORTEST_CHARACTERS = 8

_SHAPES = re.compile(
    "|".join(
        (
            *(shape.replace("[\\w-]", "[\\w*.…-]") for shape in SECRET_SHAPES),  # also those a provider masks in part
            r"(?i:(?<=bearer )|(?<=basic ))[\w.~+/=*-]{8,}",
            r"(?i:(?<=[?&]key=)|(?<=api[_-]key=)|(?<=token=))[^&\s'\"]+",
            r"(?<=://)[^/@\s]+(?=@)",
        )
    )
)


_remembered: set[str] = set()
"""Keys from files, and from variables whose names do not tell of a key."""


def remember(value: str) -> None:
    """Remove the value from all later output of this process."""
    if len(value) >= _SHORTEST_CHARACTERS:
        _remembered.add(value)


def redact(text: str) -> str:
    """Return the text without the keys of this process, plain or quoted for an address, and without likely keys."""
    for value in _known_values():
        text = text.replace(value, PUT_IN)
    return _SHAPES.sub(PUT_IN, text)


def _known_values() -> list[str]:
    """Return the secrets of the environment, longest first, as one key may begin with another."""
    values = {value for value in secrets_in(os.environ).values() if len(value) >= _SHORTEST_CHARACTERS} | _remembered
    return sorted(values | {quote(value, safe="") for value in values}, key=len, reverse=True)


class RedactedStream(io.TextIOBase):
    """Stream which passes lines on to another stream, each line without keys."""

    def __init__(self, target: TextIO, redact: Callable[[str], str] = redact) -> None:
        self._target = target
        self._redact = redact
        self._rest = ""

    def writable(self) -> bool:
        return True

    @property
    def encoding(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self._target.encoding

    def fileno(self) -> int:
        return self._target.fileno()

    def write(self, text: str, /) -> int:
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            self._target.write(self._redact(line) + "\n")
        return len(text)

    def flush(self) -> None:
        """Flush the target; an unfinished line stays, because half a key would not be recognised as a key."""
        self._target.flush()

    def close(self) -> None:
        if self._rest:
            self.write("\n")
        super().close()
