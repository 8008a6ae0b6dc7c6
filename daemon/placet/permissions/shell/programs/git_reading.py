"""Commands of git that are proved to only read: stricter than `read_only`, as no question stands before the command.

The repository's own programs (external diffs, filters, monitors) are another question: tools/shell/git_permission.py.
"""

import re
from collections.abc import Callable, Sequence

from placet.permissions.shell.inspection import names

_BEFORE = frozenset(("--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"))
_NAMES = names(
    """
    rev-parse rev-list ls-files ls-tree describe name-rev merge-base show-ref for-each-ref shortlog count-objects
    version check-ignore check-attr cherry
    """
)
"""Commands that print names, ids and messages, and no contents of files."""
_CONTENTS = names("show diff blame annotate grep whatchanged diff-tree diff-index diff-files range-diff cat-file")
"""Commands that may print the contents of any tracked file."""
_REFUSED = ("--output", "--output-directory", "--ext-diff", "--textconv", "--open-files-in-pager", "--filters",
            "--no-index", "--untracked", "--batch", "--batch-check", "--batch-command", "--stdin", "--show-signature",
            "--recurse-submodules", "--git-dir", "--work-tree", "--paginate", "--exclude-existing")  # fmt: skip
"""Options, also shortened, that run a program, write a file, or read files without a name in the line."""
_SIGNATURE = re.compile(r"%G|%\((signature|trailers)|%\+?-?\(signature")
_LOG_WITHOUT_CONTENTS = re.compile(
    r"-\d+|-n\d*|-i|--|--(oneline|graph|all|no-merges|merges|reverse|first-parent|follow|branches|tags|remotes|stat"
    r"|shortstat|name-only|name-status|no-color|abbrev-commit|topo-order|no-decorate|no-patch|since|until|after|before"
    r"|author|grep|date|format|pretty|max-count|skip|decorate|color)(=.*)?|-s",
    re.DOTALL,
)
_BRANCH_LISTS = re.compile(
    r"-[arv]+|--(list|all|remotes|verbose|show-current|column|no-column|no-color)|--(format|sort|color)=.*"
)
_LISTING = re.compile(r"--(list|merged|no-merged|contains|no-contains|points-at)(=.*)?")
_TAG_LISTS = re.compile(r"-l|-n\d*|--list|--(sort|format|merged|contains|points-at)(=.*)?")
_CONFIG_READS = frozenset(("--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"))


def git_reading(arguments: Sequence[str]) -> bool | None:
    """Return whether the call of git may print contents of files; None if the call is not proved to only read."""
    words = list(arguments)
    while words and (words[0] in _BEFORE or words[0] == "-C"):
        del words[: 2 if words[0] == "-C" else 1]
    if not words:
        return None
    name, *rest = words
    if name == "--version":
        return False if not rest else None
    if any(map(_is_refused, rest)) or any(map(_SIGNATURE.search, rest)):
        return None
    if name in _NAMES:
        return False
    if name in _CONTENTS:
        return True
    if name == "status":
        return any(re.fullmatch(r"-[a-z]*v[a-z]*|--v.*", word) for word in rest)
    if name == "log":
        return not all(_LOG_WITHOUT_CONTENTS.fullmatch(word) or not word.startswith("-") for word in rest)
    if name == "stash":
        return {"list": len(rest) > 1, "show": True}.get(rest[0]) if rest else None
    return False if (lists := _LISTS.get(name)) is not None and lists(rest) else None


def _is_refused(word: str) -> bool:
    option = word.partition("=")[0]
    return word.startswith("-O") or (len(option) > 2 and any(refused.startswith(option) for refused in _REFUSED))


def _lists_branches(words: Sequence[str]) -> bool:
    is_listing = any(map(_LISTING.fullmatch, words))
    return all(
        _BRANCH_LISTS.fullmatch(word) or _LISTING.fullmatch(word) or (is_listing and not word.startswith("-"))
        for word in words
    )


def _lists_tags(words: Sequence[str]) -> bool:
    is_listing = "-l" in words or "--list" in words
    return all(_TAG_LISTS.fullmatch(word) or (is_listing and not word.startswith("-")) for word in words)


def _lists_remotes(words: Sequence[str]) -> bool:
    return words in ([], ["-v"], ["--verbose"]) or (len(words) == 2 and words[0] == "get-url" and words[1][:1] != "-")


def _shows_reflog(words: Sequence[str]) -> bool:
    return not words or words[0] == "show" or all(re.fullmatch(r"-\d+|-n\d*", word) for word in words)


_LISTS: dict[str, Callable[[Sequence[str]], bool]] = {
    "branch": _lists_branches,
    "tag": _lists_tags,
    "remote": _lists_remotes,
    "reflog": _shows_reflog,
    "worktree": lambda words: words[:1] == ["list"],
    "config": lambda words: bool(words) and words[0] in _CONFIG_READS,
}
