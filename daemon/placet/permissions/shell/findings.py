"""What the analysis of a command line gives."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from placet.permissions.shell.words import before_wildcard, without_quotes

Effect = Literal["reads", "may write", "writes"]
"""What a command does to a file that it names: it only reads the file, it is not known here, or it changes the file."""


@dataclass(frozen=True, slots=True)
class NamedPath:
    """A place that a word of the line may name."""

    path: str
    """Absolute; `..` and symlinks are not resolved. With a wildcard it is a pattern, as `Word.pattern`."""
    effect: Effect = "reads"
    has_wildcard: bool = False
    is_guess: bool = False
    """It is a part of a word, and may be no path at all."""
    word_start: int | None = None
    """Where in the path the word begins, if the word may become an option; else None."""
    is_landing: bool = False
    """It is where a source is copied to, if the target of the copy is a directory."""


@dataclass(frozen=True, slots=True)
class FoundCommand:
    """One command that the line would run, or one file that a redirection would write."""

    text: str
    """As a permission rule sees it: its words with one space between, a redirection as `> file`."""
    argv: tuple[str, ...] | None
    """The words as the program would get them; None for a redirection, or where only bash can know."""
    doubt: str = ""
    """Why a rule for the command's text cannot vouch for what it does; empty when it can."""
    wildcard_doubt: str = ""
    """Such a doubt, until the disk shows that no wildcard finds a name that looks like an option."""
    harmless: bool = False
    """A builtin that by itself does nothing to anything (`cd`, `test`, `echo`)."""
    only_moves: bool = False
    """It changes the shell's directory to one that is known, and does nothing else."""
    targets: tuple[str, ...] = ()
    """The file that a redirection writes, absolute: one for each directory in which the shell may be."""

    @property
    def bare_text(self) -> str:
        """The text with the program's name alone, for rules that deny: `/bin/rm x` is `rm x`."""
        program, space, rest = self.text.partition(" ")
        return f"{program.rpartition('/')[2]}{space}{rest}"


@dataclass(frozen=True, slots=True)
class Findings:
    commands: tuple[FoundCommand, ...]
    """In the order they are written, each once."""
    named: tuple[NamedPath, ...]
    """Every word that may name a file to be read or written, each once."""
    doubts: tuple[str, ...]
    """Why the line as a whole may run more than was found."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """The places that whole words name; for a wildcard the directory in which the wildcard begins to match."""
        certain = (named for named in self.named if not named.is_guess)
        return tuple(
            dict.fromkeys(
                Path(without_quotes(before_wildcard(it.path)[0]) if it.has_wildcard else it.path) for it in certain
            )
        )

    @property
    def unproved(self) -> tuple[str, ...]:
        """All that could not be proved, as it may be shown; empty when a rule per command is enough."""
        doubts = ((command.text, command.doubt or command.wildcard_doubt) for command in self.commands)
        of_commands = (f"{text}: {doubt}" for text, doubt in doubts if doubt)
        return tuple(dict.fromkeys((*of_commands, *self.doubts)))


def unread(line: str, doubt: str) -> Findings:
    """Findings for a line that is not taken apart at all."""
    return Findings((FoundCommand(line.strip(), None, doubt),), (), ())
