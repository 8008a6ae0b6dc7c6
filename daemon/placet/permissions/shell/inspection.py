"""Inspection of a program call: the commands started by the program, and the trust in the arguments."""

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from placet.permissions.shell.words import Word

Words = Sequence[Word]

ONLY_WHEN_IT_RUNS = "what it gets is known only when it runs"
MAY_BECOME_OPTION = "a wildcard may become an option that runs something"


@dataclass(frozen=True, slots=True)
class Inspection:
    runs: tuple[tuple[Word, ...], ...] = ()
    """Commands started by the program, as words."""
    code: tuple[str, ...] = ()
    """Command lines handed to a shell by the program."""
    in_this_shell: bool = False
    """The started commands can change the shell's own directory."""
    doubt: str = ""
    wildcard_doubt: str = ""
    """Doubt that ends if no name found on disk by a wildcard of the words looks like an option."""
    harmless: bool = False
    no_paths: frozenset[int] = field(default_factory=frozenset[int])
    """Indexes of the words without paths, whatever the words look like."""
    takes_anything: bool = False
    """The program cannot do harm, whatever the arguments turn out to be."""
    free: frozenset[int] = field(default_factory=frozenset[int])
    """Indexes of the words that may turn out to be anything, as long as each stays a single word."""
    writes: tuple[Word, ...] = ()
    """Files written by the program without a hint in its name, as a redirection would: `sort -o FILE`."""
    listing: tuple[str, ...] = ()
    """Arguments with which find prints the paths that the call prints or removes; empty if another action is among the
    actions."""
    removes_input: bool = False
    """The program removes the files that the input names."""


def names(text: str) -> frozenset[str]:
    """Return the names in a text, with blanks between the names."""
    return frozenset(text.split())


def may_become_option(words: Words, end: int | None = None) -> bool:
    """Return whether a wildcard at the start of a word before `end` may become a file's name that looks like an
    option."""
    return any(word.has_wildcard and (word.value or "")[:1] in ("*", "?", "[") for word in words[1:end])


def has_option(words: Words, letters: str, names: Iterable[str]) -> str:
    """Return the first option among `letters`, alone or in a cluster, or an abbreviation of one of `names`.

    A `--` does not end the search, as the word may be the value of the option before.
    """
    for word in words[1:]:
        value = word.value or ""
        if value.startswith("--"):
            name = value[2:].partition("=")[0]
            if name and any(long.startswith(name) for long in names):
                return value
        elif value.startswith("-") and any(letter in letters for letter in value[1:]):
            return value
    return ""


_INPUT = re.compile(r"-|/+dev/(stdin|fd/.*|tty)|/+proc/.*/fd/.*")


def is_input(word: Word) -> bool:
    """Return whether a word names a program's input: standard input or a descriptor, a process substitution too."""
    return word.value is not None and _INPUT.fullmatch(posixpath.normpath(word.value) if word.value else "") is not None
