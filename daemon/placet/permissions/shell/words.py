"""The words of a command: what bash would make of each, as far as that can be told without running anything."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

from tree_sitter import Node

from placet.permissions.shell.source import source_of

_PLAIN = re.compile(r"[\w@%+=:,./~^-]+")
_EXPANSION = re.compile(r"`|\$[\w({@*#?!$\-'\"\[]")
_ANSI = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "r": "\r"}
_MANY = re.compile(r"\$(@|\{[^}$]*@)")
"""`"$@"` and `"${a[@]}"`, which become any number of words although they stand in quotes."""
_WILDCARDS = "*?["


@dataclass(frozen=True, slots=True)
class Word:
    source: str
    """As it is written."""
    value: str | None
    """As the program gets it, wildcards not expanded; None where only bash can know."""
    has_wildcard: bool = False
    is_one: bool = True
    """The word is one word whatever it expands to, as it stands in quotes and holds no `$@`."""

    @property
    def text(self) -> str:
        """The simplest spelling that means the same."""
        return self.value if self.value is not None and _PLAIN.fullmatch(self.value) else self.source


def read_word(node: Node, home: str) -> Word:
    """The word of a node that stands where a word may stand."""
    source = source_of(node)
    parts = [_Part.of(part) for part in (node.children if node.type == "concatenation" else (node,))]
    value = "".join(part.value or "" for part in parts)
    if any(part.value is None for part in parts) or _has_braces("".join(part.unquoted for part in parts)):
        return Word(source, None, is_one=all(part.quoted for part in parts) and not _MANY.search(source))
    if source.startswith("~"):
        if source == "~" or source.startswith("~/"):
            value = home + value[1:]
        else:
            return Word(source, None)
    return Word(source, value, has_wildcard=_has_wildcard("".join(part.unquoted for part in parts)))


def plain_word(text: str) -> Word:
    return Word(text, text)


def texts(words: Iterable[Word]) -> str:
    """The words as a permission rule sees them."""
    return " ".join(word.text for word in words)


def values(words: Iterable[Word]) -> tuple[str, ...] | None:
    """The words as a program gets them, wildcards not expanded, if every one is known."""
    found = tuple(word.value for word in words)
    return None if None in found else tuple(value or "" for value in found)


@dataclass(frozen=True, slots=True)
class _Part:
    value: str | None
    unquoted: str = ""
    """What of it still means something to bash after quotes are removed."""
    quoted: bool = False

    @staticmethod
    def of(node: Node) -> "_Part":
        source = source_of(node)
        match node.type:
            case "word" | "number" | "variable_name" | "test_operator" | "extglob_pattern" if not node.named_children:
                return _unquoted(source)
            case "string":
                return _Part(_in_double_quotes(source), quoted=True)
            case "raw_string":
                return _Part(source[1:-1], quoted=True)
            case "ansi_c_string":
                return _Part(_in_ansi_quotes(source[2:-1]), quoted=True)
            case "process_substitution":
                return _Part("/dev/fd/63", quoted=True)
            case _:
                return _unquoted(source) if not node.is_named else _Part(None)


def _unquoted(source: str) -> _Part:
    value: list[str] = []
    special: list[str] = []
    characters = iter(source)
    for character in characters:
        if character == "\\":
            following = next(characters, "\\")
            value.append("" if following == "\n" else following)
        elif character in "$`'\"":
            return _Part(None)
        else:
            value.append(character)
            special.append(character)
    return _Part("".join(value), "".join(special))


def _in_double_quotes(source: str) -> str | None:
    inner = source[1:-1]
    bare = re.sub(r"\\.", "", inner, flags=re.DOTALL)
    if not (source.startswith('"') and source.endswith('"') and len(source) > 1):
        return None
    if '"' in bare or _EXPANSION.search(bare):
        return None
    return re.sub(r'\\([$`"\\])', r"\1", inner).replace("\\\n", "")


def _in_ansi_quotes(inner: str) -> str | None:
    value: list[str] = []
    characters = iter(inner)
    for character in characters:
        if character != "\\":
            value.append(character)
        elif (meant := _ANSI.get(next(characters, ""))) is not None:
            value.append(meant)
        else:
            return None
    return "".join(value)


def _has_braces(unquoted: str) -> bool:
    """Whether bash may make several words of it: `{a,b}`, `{1..3}`."""
    opening = unquoted.find("{")
    separators = (unquoted.find(mark, opening) for mark in (",", "..")) if opening >= 0 else ()
    separator = min((position for position in separators if position >= 0), default=-1)
    return separator >= 0 and unquoted.find("}", separator) >= 0


def _has_wildcard(unquoted: str) -> bool:
    return "*" in unquoted or "?" in unquoted or ("[" in unquoted and "]" in unquoted)


def before_wildcard(value: str) -> tuple[str, bool]:
    """The directory in which a wildcard starts to match, and whether it stays below that directory."""
    position = min((value.find(mark) for mark in _WILDCARDS if mark in value), default=len(value))
    directory = value[: value.rfind("/", 0, position) + 1]
    rest = value[len(directory) :].split("/")
    stays = not any(part == ".." or (part.startswith(".") and part[1:2] in (*_WILDCARDS, ".")) for part in rest)
    return directory, stays


def absolute(value: str, directory: str) -> str:
    return os.path.join(directory, value)  # noqa: PTH118 -- A trailing slash and `..` after a link mean something.
