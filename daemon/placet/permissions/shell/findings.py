"""Results of the analysis of a command line."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from placet.permissions.shell.words import before_wildcard, without_quotes

Effect = Literal["reads", "may write", "writes", "removes"]
"""Effect of a command on a file that the command names: only reads the file, unknown to this package, changes the file,
or takes the file away."""
CHANGES: frozenset[Effect] = frozenset(("writes", "removes"))
"""Effects that certainly change the file."""


@dataclass(frozen=True, slots=True)
class NamedPath:
    """Place possibly named by a word of the line."""

    path: str
    """Absolute path; `..` and symlinks are not resolved. With a wildcard a pattern, as in `Word.pattern`."""
    effect: Effect = "reads"
    has_wildcard: bool = False
    is_guess: bool = False
    """The path is a part of a word, and may be no path at all."""
    word_start: int | None = None
    """Position in the path at which the word begins, if the word may become an option; else None."""
    is_landing: bool = False
    """The path is the place of a copied source, if the target of the copy is a directory."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Files that a command removes without their names: a call of find prints the paths."""

    directory: str
    arguments: tuple[str, ...] = ()
    """Arguments of find; empty if only the run shows the names, which may be any below the directory."""


@dataclass(frozen=True, slots=True)
class FoundCommand:
    """Command of the line, or file written by a redirection."""

    text: str
    """Text for permission rules: the words with a single space between, a redirection as `> file`."""
    argv: tuple[str, ...] | None
    """Words that the program would get; None for a redirection, or if only bash can know the words."""
    doubt: str = ""
    """Reason why a rule for the command's text cannot vouch for the command; empty when a rule can."""
    wildcard_doubt: str = ""
    """Doubt of the same kind; the doubt ends if no name found on disk by a wildcard looks like an option."""
    harmless: bool = False
    """The command is a builtin without any effect by itself (`cd`, `test`, `echo`)."""
    only_moves: bool = False
    """The command changes the shell's directory to a known directory, and does nothing else."""
    targets: tuple[str, ...] = ()
    """Absolute paths of the file that a redirection writes: a path for each directory in which the shell may be."""
    removals: tuple[Listing, ...] = ()
    """Listings of the files that the command removes without their names, one for each directory in which the shell may
    be."""

    @property
    def words(self) -> tuple[str, ...]:
        """Return the words as far as known; a word that only bash can know stands as written, split at its blanks."""
        return self.argv or tuple(self.text.split())


@dataclass(frozen=True, slots=True)
class Findings:
    commands: tuple[FoundCommand, ...]
    """Commands in written order, each once."""
    named: tuple[NamedPath, ...]
    """Words that may name a file to be read or written, without repetition."""
    doubts: tuple[str, ...]
    """Reasons why the line as a whole may run more than the analysis found."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """Return the places that whole words name; for a wildcard the directory in which the wildcard begins to
        match."""
        certain = (named for named in self.named if not named.is_guess)
        return tuple(
            dict.fromkeys(
                Path(without_quotes(before_wildcard(named.path)[0]) if named.has_wildcard else named.path)
                for named in certain
            )
        )

    @property
    def unproved(self) -> tuple[str, ...]:
        """Return every unproved point, as text for the user; empty when a rule per command is enough."""
        doubts = ((command.text, command.doubt or command.wildcard_doubt) for command in self.commands)
        of_commands = (f"{text}: {doubt}" for text, doubt in doubts if doubt)
        return tuple(dict.fromkeys((*of_commands, *self.doubts)))


def unread(line: str, doubt: str) -> Findings:
    """Return findings for a line that is not taken apart."""
    return Findings((FoundCommand(line.strip(), None, doubt),), (), ())
