"""Variables with a proved value: `$HOME`, `$PWD`, and variables assigned in the line once, for certain and
literally."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tree_sitter import Node

from placet.permissions.shell.findings import FoundCommand
from placet.permissions.shell.inspection import names
from placet.permissions.shell.parsing.syntax import parse
from placet.permissions.shell.source import source_of, to_parse
from placet.permissions.shell.words import read_word

_ASSIGNERS = names(
    ". builtin coproc declare enable eval export getopts let local mapfile read readarray readonly select"
    " shopt source trap typeset unset wait"
)
"""Commands of bash that may give a variable another value, under a name missing in the text."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_BASHS_OWN = re.compile(
    r"_|BASH.*|COLUMNS|COMP.*|COPROC|DIRSTACK|E?UID|EPOCH.*|FUNC.*|GROUPS|HIST.*|HOME|IFS|LINENO|LINES|MAPFILE|OLDPWD"
    r"|OPT.*|PATH|PIPESTATUS|POSIX.*|PPID|PROMPT.*|PS\d|PWD|RANDOM|READLINE.*|REPLY|SECONDS|SHELLOPTS|SHLVL|SRANDOM|TMOUT"
)
"""Variables set or read by bash itself."""
_PLAIN_COMMAND = re.compile(r"[\w./+-]+|>>?")
_EVALUATES = ("((", "$[")
_REFERENCE = re.compile(r"\$\{?[A-Za-z_]")
_WORD = re.compile(r"\w+")
_PLAIN_REFERENCE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
MOST_EXPANDED = 50_000
"""Number of characters that all references of a line may add together: values can double with each assignment."""


@dataclass(frozen=True, slots=True)
class Assignment:
    name: str
    value: str
    end: int
    """Place in the parsed text from which on the variable has the value."""


@dataclass(frozen=True, slots=True)
class Variables:
    """Variables of one line with a proved value."""

    home: str = ""
    """Value of HOME; empty if the line may change HOME."""
    has_directory: bool = False
    """PWD is the shell's directory, as the line never sets PWD."""
    assignments: tuple[Assignment, ...] = field(default=())

    def at(self, node: Node, where: frozenset[str]) -> Mapping[str, str]:
        """Return the values that hold at the node's place."""
        values = {
            assignment.name: assignment.value for assignment in self.assignments if node.start_byte >= assignment.end
        }
        if self.home:
            values["HOME"] = self.home
        if self.has_directory and len(where) == 1:
            values["PWD"] = next(iter(where))
        return values


NO_VARIABLES = Variables()


def proved_variables(text: str, home: str) -> Variables:
    """Return the variables of a line, valid as long as none of its commands is an assigner."""
    if not _REFERENCE.search(text) or any(mark in text for mark in _EVALUATES):
        return NO_VARIABLES
    settings = _settings(text)
    variables = Variables("" if settings["HOME"] else home, has_directory=not settings["PWD"])
    expanded, references = 0, text.count("$")
    for node in _certain_assignments(parse(to_parse(text))):
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None or not _NAME.fullmatch(spelled := source_of(name)):
            continue
        if _BASHS_OWN.fullmatch(spelled) or settings[spelled] != 1 or f"{spelled}=" not in source_of(node):
            continue
        word = read_word(value, home, variables.at(node, frozenset()))
        if word.value is None or set(word.value) & set("~\n\\"):
            continue
        expanded += references * (len(word.value) + 1)
        if expanded > MOST_EXPANDED:
            break
        assignment = Assignment(spelled, word.value, node.end_byte)
        variables = Variables(variables.home, variables.has_directory, (*variables.assignments, assignment))
    return variables


def assigns(command: FoundCommand) -> bool:
    """Return whether the command may assign to a variable, or may be any command."""
    name = command.argv[0] if command.argv else command.text.partition(" ")[0]
    if name == "printf":
        return command.argv is None or "".join(command.argv[1:2]).startswith("-")
    return name in _ASSIGNERS or not _PLAIN_COMMAND.fullmatch(name)


def _settings(text: str) -> Counter[str]:
    """Return how often each name stands in the text otherwise than as `$name` or `${name}`."""
    names = Counter(_WORD.findall(text))
    names.subtract(plain or braced for plain, braced in _PLAIN_REFERENCE.findall(text))
    return names


def _certain_assignments(root: Node) -> Iterator[Node]:
    """Yield assignments that stand alone and run for certain, unless an earlier command prevents the assignment."""
    for node, following in zip(root.children, [*root.children[1:], None], strict=True):
        if following is not None and following.type == "&":
            continue
        yield from itertools.takewhile(lambda part: part.type == "variable_assignment", _all_run(node))


def _all_run(node: Node) -> Iterator[Node]:
    """Yield the parts of `a && b && c`: each part runs if the parts before succeed, as plain assignments do."""
    match node.type:
        case "list" if all(child.type != "||" for child in node.children):
            for child in node.named_children:
                yield from _all_run(child)
        case "variable_assignments":
            yield from node.named_children
        case _:
            yield node
