"""The paths that the words of a command may name. Any word may be one: what it is, the caller sees on disk."""

import re
from collections.abc import Iterator, Sequence

from placet.permissions.shell.words import Word, absolute, before_wildcard

LONGEST_NAME = 255
LONGEST_PATH = 4096
_NO_FILES = re.compile(r"/dev/(null|std(in|out|err)|tty|fd/\d+|zero|u?random|full)")


def is_no_file(value: str) -> bool:
    """Whether it is one of the devices that keep nothing and tell nothing."""
    return _NO_FILES.fullmatch(value) is not None


def named_paths(words: Sequence[Word], no_paths: frozenset[int], directory: str, home: str) -> Iterator[str]:
    """Absolute, as they are written otherwise: only the file system can say where `..` after a symlink leads."""
    for index, word in enumerate(words):
        if index in no_paths or word.value is None:
            continue
        for spelled in _spellings(word.value):
            value = before_wildcard(spelled)[0] if word.has_wildcard else spelled
            if spelled.startswith("~/") or spelled == "~":
                value = home + value[1:]
            if value and not is_no_file(value) and _can_exist(value):
                yield absolute(value, directory)


def outside_by_wildcard(words: Sequence[Word], no_paths: frozenset[int]) -> bool:
    """Whether a wildcard may lead above the directory in which it starts."""
    return any(
        word.has_wildcard and word.value is not None and not before_wildcard(word.value)[1]
        for index, word in enumerate(words)
        if index not in no_paths
    )


def _spellings(value: str) -> Iterator[str]:
    """The word, and the parts of it that programs take for a path: `--file=x`, `of=x`, `-ox`, `@x`, `a:x`."""
    if not value.startswith("-"):
        yield value
    if value.startswith("file://"):
        yield value.removeprefix("file://")
    pieces = [value.partition("=")[2]] if "=" in value else []
    if value.startswith("-") and not value.startswith("--"):
        pieces.append(value[2:])
    if value.startswith("@"):
        pieces.append(value[1:])
    if "://" not in value and (":" in value or "," in value):
        pieces += re.split(r"[:,=]", value)
    for piece in pieces:
        bare = piece.removeprefix("@")
        is_value = bool(bare) and "=" in value and piece == value.partition("=")[2]
        if is_value or bare.startswith(("/", "~", "..")) or "/.." in bare:
            yield bare


def _can_exist(value: str) -> bool:
    return len(value) <= LONGEST_PATH and "\0" not in value and max(map(len, value.split("/"))) <= LONGEST_NAME
