"""What the analysis of a command line gives."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class FoundCommand:
    """One command that the line would run, or one file that a redirection would write."""

    text: str
    """As a permission rule sees it: its words with one space between, a redirection as `> file`."""
    argv: tuple[str, ...] | None
    """The words as the program would get them; None for a redirection, or where only bash can know."""
    doubt: str = ""
    """Why a rule for the command's text cannot vouch for what it does; empty when it can."""
    harmless: bool = False
    """A builtin that by itself does nothing to anything (`cd`, `test`, `echo`)."""

    @property
    def bare_text(self) -> str:
        """The text with the program's name alone, for rules that deny: `/bin/rm x` is `rm x`."""
        program, space, rest = self.text.partition(" ")
        return f"{program.rpartition('/')[2]}{space}{rest}"


@dataclass(frozen=True, slots=True)
class Findings:
    commands: tuple[FoundCommand, ...]
    """In the order they are written, each once."""
    paths: tuple[Path, ...]
    """Absolute, `..` and symlinks not resolved: every word that may name a file to be read or written."""
    doubts: tuple[str, ...]
    """Why the line as a whole may run more than was found."""

    @property
    def unproved(self) -> tuple[str, ...]:
        """All that could not be proved, as it may be shown; empty when a rule per command is enough."""
        of_commands = (f"{command.text}: {command.doubt}" for command in self.commands if command.doubt)
        return tuple(dict.fromkeys((*of_commands, *self.doubts)))


def unread(line: str, doubt: str) -> Findings:
    """Findings for a line that is not taken apart at all."""
    return Findings((FoundCommand(line.strip(), None, doubt),), (), ())
