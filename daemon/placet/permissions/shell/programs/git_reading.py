"""Commands of git that are proved to only read, by lists of options; an option that stands in no list proves nothing.

The repository's own programs (external diffs, filters, monitors) are another question: tools/shell/git_permission.py.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from placet.permissions.shell.programs.option_tables import GivenOptions, option_table, option_tables, read_options
from placet.permissions.shell.words import plain_word

_BEFORE = frozenset(("--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"))
_WITHOUT_CONTENTS = """
    -[0123456789is] -n= --abbrev-commit --abbrev? --after=~ --all --author=~ --before=~ --branches? --color? --date=
    --date-order --decorate? --diff-filter= --first-parent --follow --format=~ --graph --grep=~ --left-right
    --max-count= --merges --name-only --name-status --no-color --no-decorate --no-merges --no-patch --no-renames
    --numstat --oneline --pretty? --remotes? --reverse --shortstat --since=~ --skip= --stat? --summary --tags?
    --topo-order --until=~
"""
_WITH_CONTENTS = """
    -[abcmpRWw] -u -C? -G=~ -L=~ -M? -S=~ -U= --binary --cached --cc --check --color-words? --exit-code --full-index
    --function-context --histogram --ignore-all-space --ignore-blank-lines --ignore-space-change --merge-base --minimal
    --no-prefix --patch --patience --quiet --relative? --root --staged --text --unified= --word-diff?
"""
_PROVED = option_tables(
    f"""
    annotate blame: -[bcefklnpstw] -C? -L= -M? --abbrev= --date= --porcelain --line-porcelain --root --show-email
      --show-name --show-number
    branch: -[ailrv] --all --color? --column? --contains= --format=~ --ignore-case --list --merged? --no-color
      --no-column --no-contains= --no-merged? --points-at= --remotes --show-current --sort= --verbose
    cat-file: -[epst]
    check-attr: -a --all
    check-ignore: -[nqv] --no-index --non-matching --quiet --verbose
    cherry: -v --verbose
    config: -[lz] --bool --get --get-all --get-regexp --global --int --list --local --name-only --null --path
      --show-origin --show-scope --system --type= --worktree
    count-objects: -[vH] --human-readable --verbose
    describe: --abbrev= --all --always --candidates= --contains --dirty? --exact-match --exclude=~ --first-parent --long
      --match=~ --tags
    diff diff-files diff-index diff-tree log range-diff show whatchanged: {_WITHOUT_CONTENTS} {_WITH_CONTENTS}
    for-each-ref: --contains= --count= --format=~ --ignore-case --merged= --no-contains= --no-merged= --points-at=
      --sort=
    grep: -[acEFGhHiIlLnPpqvwWz] -A= -B= -C= -e=~ --after-context= --all-match --and --before-context= --break --cached
      --column --color? --context= --count --extended-regexp --files-with-matches --files-without-match --fixed-strings
      --full-name --function-context --heading --ignore-case --invert-match --line-number --max-depth= --name-only
      --no-color --not --null --only-matching --or --perl-regexp --quiet --show-function --text --word-regexp
    ls-files: -[cdikmostuvz] -x=~ --cached --deduplicate --deleted --error-unmatch --exclude=~ --exclude-standard
      --full-name --ignored --killed --modified --others --stage --unmerged
    ls-tree: -[dlrtz] --abbrev? --full-name --full-tree --long --name-only --name-status
    merge-base: -a --all --fork-point --independent --is-ancestor --octopus
    name-rev: --all --always --name-only --refs= --tags
    reflog: -[0123456789] -n= --all --date=
    remote: -v --verbose
    rev-list: {_WITHOUT_CONTENTS} --count --left-only --right-only --objects
    rev-parse: -q --abbrev-ref? --absolute-git-dir --all --branches? --git-common-dir --git-dir --git-path=
      --is-bare-repository --is-inside-git-dir --is-inside-work-tree --quiet --remotes? --short? --show-cdup
      --show-prefix --show-superproject-working-tree --show-toplevel --symbolic --symbolic-full-name --tags? --verify
    shortlog: -[censw] --all --email --no-merges --numbered --since=~ --summary --until=~
    show-ref: -[dhqs] --abbrev? --dereference --hash? --head --heads --tags --verify
    stash: {_WITHOUT_CONTENTS} {_WITH_CONTENTS}
    status: -[bsz] -u? --ahead-behind --branch --column? --ignored? --long --no-ahead-behind --no-renames --porcelain?
      --short --show-stash --untracked-files?
    tag: -[il] -n? --column? --contains= --format=~ --ignore-case --list --merged? --no-contains= --no-merged?
      --points-at= --sort=
    version: --build-options
    worktree: -[vz] --porcelain --verbose
    """,
    is_whole=False,
)
_CONTENTS = frozenset(
    ("annotate", "blame", "cat-file", "diff", "diff-files", "diff-index", "diff-tree", "grep", "range-diff", "show",
     "whatchanged")
)  # fmt: skip
"""Commands that may print the contents of any file."""
_SHOWING = frozenset(option_table(_WITH_CONTENTS).options)
"""Options with which other commands print contents."""
_LISTING = frozenset(("-l", "--list", "--merged", "--no-merged", "--contains", "--no-contains", "--points-at"))
"""Options with which the operands of `branch` and `tag` are patterns or revisions."""
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
    if (table := _PROVED.get(name)) is None:
        return None
    given = read_options([plain_word(word) for word in words], table)
    operands = [words[at] for at in given.operands]
    if given.unknown or not _has_plain_formats(name, given) or not _only_lists(name, given, operands):
        return None
    shows = given.named(*_SHOWING) is not None or (name == "stash" and operands[0] == "show")
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
            reads = given.named("-l", "--list", "--get", "--get-all", "--get-regexp") is not None
            return reads or operands[:1] in (["get"], ["list"])
        case "remote":
            return not operands or (operands[0] == "get-url" and len(operands) == 2)
        case "stash" | "worktree":
            return operands[:1] == ["list"] or (name == "stash" and operands[:1] == ["show"])
        case "reflog":
            return not operands or operands[0] == "show"
        case _:
            return True
