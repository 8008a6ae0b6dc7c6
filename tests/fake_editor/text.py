"""Positions in a text, the slow and obvious way: the daemon's own position code is not used to judge it."""

import hashlib
import re
from typing import Any

WIDTHS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def width(text: str, encoding: str) -> int:
    codec, size = WIDTHS[encoding]
    return len(text.encode(codec)) // size


def line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer(r"\r\n|\n|\r", text))]


def line_end(text: str, start: int) -> int:
    match = re.compile(r"[\r\n]").search(text, start)
    return match.start() if match else len(text)


def offset(text: str, position: dict[str, int], encoding: str) -> int:
    starts = line_starts(text)
    if position["line"] >= len(starts):
        return len(text)
    start = starts[position["line"]]
    at, end = start, line_end(text, start)
    while at < end and width(text[start : at + 1], encoding) <= position["character"]:
        at += 1
    return at


def position(text: str, at: int, encoding: str) -> dict[str, int]:
    starts = line_starts(text)
    line = max(number for number, start in enumerate(starts) if start <= at)
    return {"line": line, "character": width(text[starts[line] : at], encoding)}


def span(text: str, start: int, end: int, encoding: str) -> dict[str, Any]:
    return {"start": position(text, start, encoding), "end": position(text, end, encoding)}


def dominant_ending(text: str) -> str:
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
