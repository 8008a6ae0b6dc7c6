"""Transfer of indentation: text quoted at one depth is moved to the depth of the file."""

from collections.abc import Iterable
from itertools import pairwise

Indents = tuple[tuple[str, str], ...]
"""Pairs of a quoted line's indentation and the file's indentation on the line."""


def indent_of(line: str) -> str:
    """Return the white space at the start of a line."""
    return line[: len(line) - len(line.lstrip())]


def pair_indents(quoted: Iterable[str], own: Iterable[str]) -> Indents:
    """Return the indentations of corresponding lines; blank lines are skipped."""
    pairs = zip(quoted, own, strict=True)
    return tuple(
        (indent_of(line), indent_of(own_line)) for line, own_line in pairs if line.strip() and own_line.strip()
    )


def reindent(text: str, indents: Indents) -> str:
    """Return the text with the file's indentation, as learnt from the pairs. The first of two contradicting pairs wins.

    A known depth takes the file's indentation for the depth; a deeper line adds to the nearest known depth; a shallower
    line takes away the missing columns. Blank lines stay unchanged, and so does a text already in the file's
    indentation.
    """
    if has_own_indentation(text.split("\n"), indents):
        return text
    own_indents: dict[str, str] = {}
    for quoted, own in indents:
        own_indents.setdefault(quoted, own)
    if all(quoted == own for quoted, own in own_indents.items()):
        return text
    step = _step(own_indents)
    return "\n".join(
        _carried(indent_of(line), own_indents, step) + line.lstrip() if line.strip() else line
        for line in text.split("\n")
    )


def has_own_indentation(lines: Iterable[str], indents: Indents) -> bool:
    """Return whether the lines begin at the depth of the file's lines, and not at the depth of the quoted lines."""
    if not indents:
        return True
    quoted, own = (min(side, key=len) for side in zip(*indents, strict=True))
    outermost = min((indent_of(line) for line in lines if line.strip()), key=len, default=quoted)
    return outermost == own != quoted


def _carried(indent: str, own_indents: dict[str, str], step: tuple[str, str]) -> str:
    inside = [quoted for quoted in own_indents if indent.startswith(quoted)]
    if inside:
        nearest = max(inside, key=len)
        return own_indents[nearest] + _converted(indent[len(nearest) :], step)
    shallowest = min(own_indents, key=len)
    missing = max(len(shallowest) - len(indent), 0)
    own = own_indents[shallowest]
    return own[: max(len(own) - missing, 0)]


def _converted(extra: str, step: tuple[str, str]) -> str:
    quoted, own = step
    if quoted and extra == quoted * (len(extra) // len(quoted)):
        return own * (len(extra) // len(quoted))
    return extra


def _step(own_indents: dict[str, str]) -> tuple[str, str]:
    """Return one level of depth as quoted and as in the file; empty if the pairs do not tell."""
    depths = sorted(own_indents, key=len)
    for shallow, deep in pairwise(depths):
        if (
            deep.startswith(shallow)
            and own_indents[deep].startswith(own_indents[shallow])
            and own_indents[deep] != own_indents[shallow]
        ):
            return deep[len(shallow) :], own_indents[deep][len(own_indents[shallow]) :]
    only = depths[0]
    if only and own_indents[only] and set(only).isdisjoint(own_indents[only]):
        return only, own_indents[only]
    return "", ""
