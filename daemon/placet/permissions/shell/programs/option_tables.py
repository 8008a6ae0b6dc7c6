"""Option tables: a table of the believed options of a program, and the words of a command read by the table.

A table is written as a text of options, each with marks behind the name: `=` takes a value (glued, or the next word),
`?` takes a glued value or none. Then the option's role in a judgement: `>` writes the file named by the value, `~` has
a value of plain text, no path, `.` ends the options. No table has an option that runs code or another program, and
abbreviations of options are unknown.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, cast

from placet.permissions.shell.inspection import Words
from placet.permissions.shell.words import Word

Takes = Literal["", "=", "?"]
Role = Literal["", ">", "~", "."]

_OPTION = re.compile(r"(?P<name>--?[^\s=?>~]*?)(?P<takes>[=?]?)(?P<role>[>~]|(?<==)\.)?")
_MAY_BE_OPTION = re.compile(r"-(?!\d*$|\s)")


@dataclass(frozen=True, slots=True)
class Option:
    takes: Takes
    role: Role


@dataclass(frozen=True, slots=True)
class OptionTable:
    """Options of a single program."""

    options: dict[str, Option] = field(default_factory=dict[str, Option])
    ends_at_operand: bool = False
    """The program reads no option behind the first operand, as interpreters do; other programs read options
    everywhere."""


def option_table(text: str, *, ends_at_operand: bool = False) -> OptionTable:
    """Return the table described by the text; a name may stand for several letters: `-[abc]`."""
    options: dict[str, Option] = {}
    for entry in text.split():
        parts = _OPTION.fullmatch(entry)
        assert parts is not None, entry
        option = Option(cast("Takes", parts["takes"]), cast("Role", parts["role"] or ""))
        name = parts["name"]
        letters = name[2:-1] if name.startswith("-[") else ""
        options |= {f"-{letter}": option for letter in letters} or {name: option}
    return OptionTable(options, ends_at_operand)


def option_tables(text: str, *, ends_at_operand: bool = False) -> dict[str, OptionTable]:
    """Return a table for each program of a text: a line names programs before a colon, and a line without a colon goes
    on with the options of the line before."""
    entries = re.split(r"\n(?=[^\n]*:)", text.strip())
    tables: dict[str, OptionTable] = {}
    for programs, _, options in (entry.partition(":") for entry in entries):
        table = option_table(options, ends_at_operand=ends_at_operand)
        tables |= dict.fromkeys(programs.split(), table)
    return tables


@dataclass(frozen=True, slots=True)
class GivenOption:
    """Option as given in a command."""

    name: str
    option: Option
    value: Word | None
    at: int
    """Index of the word that holds the value; index of the option itself if the option has no value."""


@dataclass(frozen=True, slots=True)
class GivenOptions:
    """Words of a command as a program reads them."""

    options: tuple[GivenOption, ...]
    operands: tuple[int, ...]
    """Indexes of the operands."""
    unknown: str
    """First option that the table does not have; the words behind this option cannot be read for certain."""
    ended_at: int
    """Index of the `--` that ends the options, or the number of words."""

    def with_role(self, role: Role) -> Iterator[GivenOption]:
        return (given for given in self.options if given.option.role == role)

    def named(self, *names: str) -> GivenOption | None:
        """Return the first option with one of these names."""
        return next((given for given in self.options if given.name in names), None)


def read_options(words: Words, table: OptionTable, start: int = 1) -> GivenOptions:
    """Read the words by the table. A word that only bash can know counts as an operand."""
    given: list[GivenOption] = []
    operands: list[int] = []
    index = start
    while index < len(words):
        value = words[index].value
        if value == "--":
            return GivenOptions(tuple(given), (*operands, *range(index + 1, len(words))), "", index)
        if value is None or not value.startswith("-") or value == "-":
            if table.ends_at_operand:
                return GivenOptions(tuple(given), (*operands, *range(index, len(words))), "", len(words))
            operands.append(index)
            index += 1
            continue
        readings = list(_long(words, index, table) if value.startswith("--") else _cluster(words, index, table))
        if None in readings:
            rest = range(index + 1, len(words)) if table.ends_at_operand else ()
            behind = (at for at in rest if not (words[at].value or "").startswith("-"))
            operands += range(next(behind, len(words)), len(words))
            return GivenOptions(tuple(given), tuple(operands), value, len(words))
        read = [option for option in readings if option is not None]
        given += read
        index = max([index, *(option.at for option in read)]) + 1
        if any(option.option.role == "." for option in read):
            return GivenOptions(tuple(given), (*operands, *range(index, len(words))), "", len(words))
    return GivenOptions(tuple(given), tuple(operands), "", len(words))


def _long(words: Words, index: int, table: OptionTable) -> Iterator[GivenOption | None]:
    written, equals, glued = (words[index].value or "").partition("=")
    option = table.options.get(written)
    if option is None or (equals and not option.takes):
        yield None
    elif equals:
        yield GivenOption(written, option, Word(glued, glued, words[index].has_wildcard), index)
    else:
        yield _valued(words, index, written, option)


def _cluster(words: Words, index: int, table: OptionTable) -> Iterator[GivenOption | None]:
    letters = (words[index].value or "")[1:]
    for position, letter in enumerate(letters, 1):
        option = table.options.get(f"-{letter}")
        if option is None:
            yield None
            return
        glued = letters[position:]
        if option.takes and glued:
            yield GivenOption(f"-{letter}", option, Word(glued, glued, words[index].has_wildcard), index)
            return
        yield _valued(words, index, f"-{letter}", option)


def _valued(words: Words, index: int, name: str, option: Option) -> GivenOption | None:
    """Return an option without a glued value, or None if the value is missing, or may be an option to the program.

    Some programs take a value only glued: `git diff -U --output=x` writes x.
    """
    if option.takes != "=":
        return GivenOption(name, option, None, index)
    if index + 1 >= len(words) or _MAY_BE_OPTION.match(words[index + 1].value or ""):
        return None
    return GivenOption(name, option, words[index + 1], index + 1)
