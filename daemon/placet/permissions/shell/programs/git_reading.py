"""Commands of git that are proved to only read, by lists of options; an option that stands in no list proves nothing.

The repository's own programs (external diffs, filters, monitors) are another question: tools/shell/git_permission.py.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from placet.permissions.shell.programs.git_options import READING, SHOWING
from placet.permissions.shell.programs.option_tables import GivenOptions, read_options
from placet.permissions.shell.words import plain_word

_BEFORE = frozenset(("--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"))
_CONTENTS = frozenset(
    ("annotate", "blame", "cat-file", "diff", "diff-files", "diff-index", "diff-tree", "grep", "range-diff", "show",
     "whatchanged")
)  # fmt: skip
"""Commands that may print the contents of any file."""
_LISTING = frozenset(("-l", "--list", "--merged", "--no-merged", "--contains", "--no-contains", "--points-at"))
"""Options with which the operands of `branch` and `tag` are patterns or revisions."""
_READING_CONFIG = ("-l", "--list", "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color",
                  "--get-colorbool")  # fmt: skip
"""Options with which `git config` only reads."""
_ATOM = (
    r"%\((?:\*?(?:refname|objectname|objecttype|objectsize|upstream|push|HEAD|subject|worktreepath"
    r"|(?:author|committer|tagger|creator)(?:name|email|date)?)(?::[\w:=,% .-]*)?|color:[\w #]*)\)"
)
_PLAIN_FORMAT = re.compile(rf"(?:[^%]|%%|%[0-9a-f]{{2}}|{_ATOM})*+", re.DOTALL)
"""Format of refs without contents: `%(raw)` prints the blob that a ref names."""
_LOG_FORMAT = re.compile(
    r"(?:[^%]|%%|%n|%x[0-9a-f]{2}|%[<>|]{1,3}\([^()]*\)|%C(?:\w+|\([^()]*\))"
    r"|%[+ -]?(?:[HhTtPpsbBefDdSmM]|[ac][nNeElLdDrtiIsh]|g[DdnNeEs]))*+",
    re.DOTALL,
)
"""Format of commits without placeholders that check a signature."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Proof that the words of a line only read, with the facts that only the disk can prove."""

    programs: frozenset[str] = frozenset()
    """Programs that bash would look for on PATH."""
    prints_below: bool = False
    """Whether the line may print files below the directories that the line names, whatever the files are called."""
    starts_here: bool = False
    """Whether the line may also print files below the directory in which the shell stands."""
    follows_links: bool = False
    """Whether symlinks below a directory are followed."""
    git_contents: bool = False
    """Whether a command of git may print the contents of any file that the repository ever held."""
    revisions: tuple[str, ...] = ()
    """Words by which commands of git name contents."""

    def joined(self, other: "Reading") -> "Reading":
        """Return the proof for both."""
        return Reading(
            self.programs | other.programs,
            self.prints_below or other.prints_below,
            self.starts_here or other.starts_here,
            self.follows_links or other.follows_links,
            self.git_contents or other.git_contents,
            (*self.revisions, *other.revisions),
        )


def git_reading(arguments: Sequence[str]) -> Reading | None:
    """Return the proof for a call of git, or None if the call is not proved to only read."""
    words = list(arguments)
    while words and (words[0] in _BEFORE or words[0] == "-C"):
        del words[: 2 if words[0] == "-C" else 1]
    if words == ["--version"]:
        return Reading()
    name = words[0] if words else ""
    if (table := READING.get(name)) is None:
        return None
    given = read_options([plain_word(word) for word in words], table)
    operands = [words[at] for at in given.operands]
    if given.unknown or not _has_plain_formats(name, given) or not _only_lists(name, given, operands):
        return None
    shows = given.named(*SHOWING) is not None or (name == "stash" and operands[0] == "show")
    contents = name in _CONTENTS or (name in ("log", "stash") and shows)
    return Reading(git_contents=contents, revisions=tuple(operands) if contents else ())


def _has_plain_formats(name: str, given: GivenOptions) -> bool:
    expression = _PLAIN_FORMAT if name in ("branch", "for-each-ref", "tag") else _LOG_FORMAT
    formats = [option.value.value or "" for option in given.options if option.name in ("--format", "--pretty")
               and option.value is not None]  # fmt: skip
    return all(expression.fullmatch(text.removeprefix("format:").removeprefix("tformat:")) for text in formats)


def _only_lists(name: str, given: GivenOptions, operands: Sequence[str]) -> bool:
    """Return whether the operands make the command list, and not change: `git branch x` makes a branch."""
    match name:
        case "branch" | "tag":
            return not operands or given.named(*_LISTING) is not None
        case "config":
            return given.named(*_READING_CONFIG) is not None or operands[:1] in (["get"], ["list"])
        case "remote":
            return not operands or (operands[0] == "get-url" and len(operands) == 2)
        case "stash" | "worktree":
            return operands[:1] == ["list"] or (name == "stash" and operands[:1] == ["show"])
        case "reflog":
            return not operands or operands[0] == "show"
        case _:
            return True
