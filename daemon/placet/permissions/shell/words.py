"""Words of a command: the value that bash would give each word, as far as known without running anything."""

import os
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tree_sitter import Node

from placet.permissions.shell.source import source_of

_PLAIN = re.compile(r"[\w@%+=:,./~^-]+")
_EXPANSION = re.compile(r"`|\$[\w({@*#?!$\-'\"\[]")
_ANSI = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "r": "\r"}
_MANY = re.compile(r"\$(@|\{[^}$]*@)")
"""`"$@"` and `"${a[@]}"`, which become any number of words although both stand in quotes."""
_WILDCARDS = "*?["
_REFERENCE = re.compile(r"(\\.)|\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))", re.DOTALL)
_UNSPLIT = re.compile(r"[\w@%+=:,./-]+")
"""Values that stay a single, unchanged word when a variable stands outside quotes."""
_NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Word:
    source: str
    """Text of the word as written."""
    value: str | None
    """Value that the program gets, wildcards not expanded; None if only bash can know the value."""
    has_wildcard: bool = False
    is_single_word: bool = True
    """The word stays a single word whatever it expands to, because the word stands in quotes and holds no `$@`."""
    pattern: str = ""
    """Value as a pattern of bash if the value has a wildcard: quoted characters stand behind a backslash."""

    @property
    def text(self) -> str:
        """Return the simplest spelling with the same meaning."""
        return self.value if self.value is not None and is_plain(self.value) else self.source


def read_word(node: Node, home: str, variables: Mapping[str, str] = _NO_VARIABLES) -> Word:
    """Return the word of a node at a place where a word may stand; `variables` are the variables with a proved
    value."""
    source = source_of(node)
    parts = [_Part.of(part, variables) for part in (node.children if node.type == "concatenation" else (node,))]
    value = "".join(part.value or "" for part in parts)
    if any(part.value is None for part in parts) or _has_braces("".join(part.unquoted for part in parts)):
        return Word(source, None, is_single_word=all(part.quoted for part in parts) and not _MANY.search(source))
    pattern = "".join(part.pattern for part in parts)
    if source.startswith("~"):
        user = source.partition("/")[0]
        if (directory := home if user == "~" else _home_of(user)) is None:
            return Word(source, None)
        value, pattern = directory + value.removeprefix(user), as_pattern(directory) + pattern.removeprefix(user)
    is_pattern = _has_wildcard("".join(part.unquoted for part in parts))
    if variables and "$" in source and read_word(node, home).value != value:
        source = value if is_pattern else shlex.quote(value)  # A rule must see the value of the variable.
    return Word(source, value, has_wildcard=is_pattern, pattern=pattern if is_pattern else "")


def is_plain(text: str) -> bool:
    """Return whether the text means itself when written in a command line without quotes."""
    return _PLAIN.fullmatch(text) is not None


def plain_word(text: str) -> Word:
    return Word(text, text)


def texts(words: Iterable[Word]) -> str:
    """Return the words as a permission rule sees the words."""
    return " ".join(word.text for word in words)


def values(words: Iterable[Word]) -> tuple[str, ...] | None:
    """Return the words as a program gets the words, wildcards not expanded, or None unless every value is known."""
    word_values = tuple(word.value for word in words)
    return None if None in word_values else tuple(value or "" for value in word_values)


@dataclass(frozen=True, slots=True)
class _Part:
    value: str | None
    unquoted: str = ""
    """Characters that still mean something to bash after the removal of quotes."""
    quoted: bool = False
    pattern: str = ""
    """Value as a pattern."""

    @staticmethod
    def of(node: Node, variables: Mapping[str, str]) -> "_Part":
        source = source_of(node)
        match node.type:
            case "word" | "number" | "variable_name" | "test_operator" | "extglob_pattern" if not node.named_children:
                return _unquoted(source)
            case "string":
                return _quoted(
                    _in_double_quotes(_REFERENCE.sub(lambda reference: _escaped(reference, variables), source))
                )
            case "raw_string":
                return _quoted(source[1:-1])
            case "ansi_c_string":
                return _quoted(_in_ansi_quotes(source[2:-1]))
            case "process_substitution":
                return _quoted("/dev/fd/63")
            case "simple_expansion" | "expansion" if reference := _REFERENCE.fullmatch(source):
                value = variables.get(reference[2] or reference[3], "")
                return _quoted(value) if _UNSPLIT.fullmatch(value) else _Part(None)
            case _:
                return _unquoted(source) if not node.is_named else _Part(None)


def as_pattern(text: str) -> str:
    """Return the pattern that only this text matches."""
    return re.sub(r"([\\*?\[])", r"\\\1", text)


def without_quotes(pattern: str) -> str:
    """Return the text that a pattern without wildcards matches."""
    return re.sub(r"\\(.)", r"\1", pattern, flags=re.DOTALL)


def has_wildcard(pattern: str) -> bool:
    """Return whether the pattern has an unquoted wildcard."""
    return _has_wildcard(re.sub(r"\\.", "", pattern, flags=re.DOTALL))


def _quoted(value: str | None) -> _Part:
    return _Part(value, quoted=True, pattern=as_pattern(value or ""))


def _escaped(reference: re.Match[str], variables: Mapping[str, str]) -> str:
    """Return the value of a reference in double quotes, escaped for the quotes; the reference itself if the value is
    unknown."""
    value = None if reference[1] else variables.get(reference[2] or reference[3])
    return reference[0] if value is None else re.sub(r'([$`"\\])', r"\\\1", value)


def _home_of(user: str) -> str | None:
    """Return the home that bash takes `~user` for, or None for an unknown user or another meaning of the text."""
    if not re.fullmatch(r"~[A-Za-z_][\w.-]*", user):
        return None
    home = os.path.expanduser(user)  # noqa: PTH111 -- Path raises for an unknown user.
    return None if home == user else home


def _unquoted(source: str) -> _Part:
    value: list[str] = []
    special: list[str] = []
    pattern: list[str] = []
    characters = iter(source)
    for character in characters:
        if character == "\\":
            following = next(characters, "\\")
            value.append("" if following == "\n" else following)
            pattern.append("" if following == "\n" else as_pattern(following))
        elif character in "$`'\"":
            return _Part(None)
        else:
            value.append(character)
            special.append(character)
            pattern.append(character)
    return _Part("".join(value), "".join(special), pattern="".join(pattern))


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
        elif (unescaped := _ANSI.get(next(characters, ""))) is not None:
            value.append(unescaped)
        else:
            return None
    return "".join(value)


def _has_braces(unquoted: str) -> bool:
    """Return whether bash may make several words of the text: `{a,b}`, `{1..3}`."""
    opening = unquoted.find("{")
    separators = (unquoted.find(mark, opening) for mark in (",", "..")) if opening >= 0 else ()
    separator = min((position for position in separators if position >= 0), default=-1)
    return separator >= 0 and unquoted.find("}", separator) >= 0


def _has_wildcard(unquoted: str) -> bool:
    return "*" in unquoted or "?" in unquoted or ("[" in unquoted and "]" in unquoted)


def before_wildcard(value: str) -> tuple[str, bool]:
    """Return the directory in which a wildcard starts to match, and whether the wildcard stays below this directory."""
    position = min((value.find(mark) for mark in _WILDCARDS if mark in value), default=len(value))
    directory = value[: value.rfind("/", 0, position) + 1]
    rest = value[len(directory) :].split("/")
    stays = not any(part == ".." or (part.startswith(".") and part[1:2] in (*_WILDCARDS, ".")) for part in rest)
    return directory, stays


def absolute(value: str, directory: str) -> str:
    return os.path.join(directory, value)  # noqa: PTH118 -- A trailing slash and `..` after a link mean something.
