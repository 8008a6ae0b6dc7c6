"""Variables with a known value: `$HOME` and `$PWD`, where the line sets neither."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from placet.permissions.shell.findings import FoundCommand
from placet.permissions.shell.inspection import names

_ASSIGNERS = names(
    ". builtin coproc declare enable eval export getopts let local mapfile read readarray readonly select"
    " shopt source trap typeset unset wait"
)
"""Commands of bash that may give a variable another value, under a name missing in the text."""
_PLAIN_COMMAND = re.compile(r"[\w./+-]+|>>?")
_EVALUATES = ("((", "$[")
_REFERENCE = re.compile(r"\$(?:(HOME|PWD)\b|\{(HOME|PWD)\})")
_NAME = re.compile(r"\b(?:HOME|PWD)\b")


@dataclass(frozen=True, slots=True)
class Variables:
    """Variables with a known value in one line."""

    home: str = ""
    """Value of HOME; empty if the line may change HOME."""
    has_directory: bool = False
    """PWD is the shell's directory, as the line never sets PWD."""

    def at(self, where: frozenset[str]) -> Mapping[str, str]:
        """Return the values that hold where the shell is in one of the directories."""
        values = {"HOME": self.home} if self.home else {}
        if self.has_directory and len(where) == 1:
            values["PWD"] = next(iter(where))
        return values


NO_VARIABLES = Variables()


def proved_variables(text: str, home: str) -> Variables:
    """Return the variables of a line, valid as long as none of its commands is an assigner."""
    if not _REFERENCE.search(text) or any(mark in text for mark in _EVALUATES):
        return NO_VARIABLES
    named = Counter(_NAME.findall(text))
    named.subtract(plain or braced for plain, braced in _REFERENCE.findall(text))
    return Variables("" if named["HOME"] else home, has_directory=not named["PWD"])


def assigns(command: FoundCommand) -> bool:
    """Return whether the command may assign to a variable, or may be any command."""
    name = command.argv[0] if command.argv else command.text.partition(" ")[0]
    if name == "printf":
        return command.argv is None or "".join(command.argv[1:2]).startswith("-")
    return name in _ASSIGNERS or not _PLAIN_COMMAND.fullmatch(name)
