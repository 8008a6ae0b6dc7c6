"""Option tables: a table of all options of a program, and the words of a command read by the table.

A table is written as a text of options, each with marks behind the name: `=` takes a value (glued, or the next word),
`?` takes a glued value or none. Then the option's role in a judgement: `!` runs code or another program, `>` writes the
file named by the value, `~` has a value of plain text, no path, `@` reads names of further files from the value, `.`
ends the options.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, cast

from placet.permissions.shell.inspection import Words
from placet.permissions.shell.words import Word

Takes = Literal["", "=", "?"]
Role = Literal["", "!", ">", "~", "@", "."]

_OPTION = re.compile(r"(?P<name>--?[^\s=?!>~@]*?)(?P<takes>[=?]?)(?P<role>[!>~@]|(?<==)\.)?")


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
    has_abbreviations: bool = True
    """A long option may be abbreviated; False for a table that holds a part of the options alone."""

    @property
    def is_harmless(self) -> bool:
        """Return whether no option of the table can run a program or write a file."""
        return not any(option.role in ("!", ">") for option in self.options.values())

    def full_name(self, name: str) -> str:
        """Return the long option for a name or an abbreviation, or "" if the name is unknown or ambiguous."""
        if name in self.options or not self.has_abbreviations:
            return name if name in self.options else ""
        candidates = [candidate for candidate in self.options if len(name) > 2 and candidate.startswith(name)]
        return candidates[0] if len({self.options[candidate] for candidate in candidates}) == 1 else ""


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


def option_tables(text: str, *, ends_at_operand: bool = False, is_whole: bool = True) -> dict[str, OptionTable]:
    """Return a table for each program of a text: a line names programs before a colon, and a line without a colon goes
    on with the options of the line before. `is_whole`: each table has all options of the program."""
    entries = re.split(r"\n(?=[^\n]*:)", text.strip())
    tables: dict[str, OptionTable] = {}
    for programs, _, options in (entry.partition(":") for entry in entries):
        table = OptionTable(option_table(options).options, ends_at_operand, has_abbreviations=is_whole)
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
    name = table.full_name(written)
    if not name or (equals and not table.options[name].takes):
        yield None
    elif equals:
        yield GivenOption(name, table.options[name], Word(glued, glued, words[index].has_wildcard), index)
    else:
        yield _valued(words, index, name, table.options[name])


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
    """Return an option without a glued value, or None if the value is missing."""
    if option.takes != "=":
        return GivenOption(name, option, None, index)
    if index + 1 >= len(words):
        return None
    return GivenOption(name, option, words[index + 1], index + 1)
