"""Carrying indentation over: text quoted at one depth, put where the file has it at another."""

from collections.abc import Iterable
from itertools import pairwise

Indents = tuple[tuple[str, str], ...]
"""Pairs of a quoted line's indentation and the indentation the file has on that line."""


def indent_of(line: str) -> str:
    """The white space a line begins with."""
    return line[: len(line) - len(line.lstrip())]


def pair_indents(quoted: Iterable[str], own: Iterable[str]) -> Indents:
    """The indentations of lines that stand for each other; blank lines say nothing."""
    pairs = zip(quoted, own, strict=True)
    return tuple((indent_of(line), indent_of(there)) for line, there in pairs if line.strip() and there.strip())


def reindent(text: str, indents: Indents) -> str:
    """The text with the file's indentation, as the pairs teach it. Where a pair contradicts an earlier one, it loses.

    A known depth takes the file's indentation for it; a deeper one adds to the nearest known; a shallower one
    takes away as many columns as it lacks. Blank lines stay as they are, and so does a text that has the file's
    indentation already.
    """
    if has_own_indentation(text.split("\n"), indents):
        return text
    known: dict[str, str] = {}
    for quoted, own in indents:
        known.setdefault(quoted, own)
    if all(quoted == own for quoted, own in known.items()):
        return text
    step = _step(known)
    return "\n".join(
        _carried(indent_of(line), known, step) + line.lstrip() if line.strip() else line for line in text.split("\n")
    )


def has_own_indentation(lines: Iterable[str], indents: Indents) -> bool:
    """Whether the lines begin where those of the file begin, and not where they were quoted to begin."""
    if not indents:
        return True
    quoted, own = (min(side, key=len) for side in zip(*indents, strict=True))
    outermost = min((indent_of(line) for line in lines if line.strip()), key=len, default=quoted)
    return outermost == own != quoted


def _carried(indent: str, known: dict[str, str], step: tuple[str, str]) -> str:
    inside = [quoted for quoted in known if indent.startswith(quoted)]
    if inside:
        nearest = max(inside, key=len)
        return known[nearest] + _converted(indent[len(nearest) :], step)
    shallowest = min(known, key=len)
    missing = max(len(shallowest) - len(indent), 0)
    own = known[shallowest]
    return own[: max(len(own) - missing, 0)]


def _converted(extra: str, step: tuple[str, str]) -> str:
    quoted, own = step
    if quoted and extra == quoted * (len(extra) // len(quoted)):
        return own * (len(extra) // len(quoted))
    return extra


def _step(known: dict[str, str]) -> tuple[str, str]:
    """One level of depth as it was quoted and as the file has it; empty where the pairs do not tell."""
    depths = sorted(known, key=len)
    for shallow, deep in pairwise(depths):
        if deep.startswith(shallow) and known[deep].startswith(known[shallow]) and known[deep] != known[shallow]:
            return deep[len(shallow) :], known[deep][len(known[shallow]) :]
    only = depths[0]
    if only and known[only] and set(only).isdisjoint(known[only]):
        return only, known[only]
    return "", ""
