"""Commands whose effect neither undo nor a review brings back, each with the reason: these are asked inside a sandbox.

The sandbox lets git write the repository of the project, and undo covers files, but no history of git.
"""

import re
from collections.abc import Callable, Sequence

from placet.permissions.shell.inspection import names
from placet.permissions.shell.programs.git_options import git_words

REMOVERS = names("rm rmdir unlink shred trash")
"""Programs that remove the files that they name."""


def loss_of(argv: Sequence[str], is_file: Callable[[str], bool]) -> str:
    """Return what the command of git loses for good, or "". `is_file` says whether a word is a path on disk."""
    if not (words := git_words(argv)):
        return ""
    name, *rest = words
    operands = [word for word in rest if not word.startswith("-")]
    for command, test, reason in _LOSSES:
        if command == name and test(rest, operands, is_file):
            return reason
    return ""


def _clustered(words: Sequence[str], letters: str) -> bool:
    return any(re.match(rf"-[a-zA-Z]*[{letters}]", word) for word in words if not word.startswith("--"))


def _long(words: Sequence[str], *options: str) -> bool:
    given = {word.partition("=")[0] for word in words if word.startswith("--") and len(word) > 3}
    return any(option.startswith(word) for word in given for option in options)


Test = Callable[[Sequence[str], Sequence[str], Callable[[str], bool]], bool]


def _restores(rest: Sequence[str], operands: Sequence[str], is_file: Callable[[str], bool]) -> bool:
    only_index = _long(rest, "--staged") or _clustered(rest, "S")
    return not only_index or _long(rest, "--worktree") or _clustered(rest, "W")


def _checks_out_files(rest: Sequence[str], operands: Sequence[str], is_file: Callable[[str], bool]) -> bool:
    makes_branch = _clustered(rest, "bB") or _long(rest, "--orphan")
    is_forced = _clustered(rest, "f") or _long(rest, "--force", "--ours", "--theirs")
    return is_forced or "--" in rest or (not makes_branch and any(map(is_file, operands)))


def _given(letters: str, *long: str) -> Test:
    """Return the test for an option, alone or in a cluster, or a long option, also shortened."""
    return lambda rest, _operands, _is_file: bool(letters and _clustered(rest, letters)) or _long(rest, *long)


def _first(*operands: str) -> Test:
    """Return the test for the first operand."""
    return lambda _rest, given, _is_file: tuple(given[:1]) in tuple((operand,) for operand in operands)


def _always(rest: Sequence[str], operands: Sequence[str], is_file: Callable[[str], bool]) -> bool:
    return True


def _removes_worktree(rest: Sequence[str], operands: Sequence[str], is_file: Callable[[str], bool]) -> bool:
    return list(operands[:1]) == ["remove"] and (_clustered(rest, "f") or _long(rest, "--force"))


def _cleans_ignored(rest: Sequence[str], operands: Sequence[str], is_file: Callable[[str], bool]) -> bool:
    """Return whether `git clean` takes ignored files: all, or those that `-e '!…'` excepts from an ignore file."""
    return _clustered(rest, "xX") or any("!" in word for word in rest)


def _cleans_repositories(rest: Sequence[str], operands: Sequence[str], is_file: Callable[[str], bool]) -> bool:
    """Return whether `git clean` removes repositories below the directory: `-f` twice, git-clean(1)."""
    letters = sum(word.count("f") for word in rest if re.match(r"-[a-zA-Z]", word))
    return letters + sum(word.startswith("--f") for word in rest) > 1


_DISCARDS = "it discards changes that stand in no commit"
_OBJECTS = "it deletes objects of git that undo cannot bring back"
_LOSSES: tuple[tuple[str, Test, str], ...] = (
    ("reset", _given("", "--hard", "--merge", "--keep"), _DISCARDS),
    ("clean", _cleans_ignored, "it removes files that git ignores, which undo does not cover"),
    ("clean", _cleans_repositories, "it removes repositories with their commits, which undo does not cover"),
    ("restore", _restores, _DISCARDS),
    ("checkout", _checks_out_files, _DISCARDS),
    ("switch", _given("f", "--force", "--discard-changes"), _DISCARDS),
    ("stash", _first("drop", "clear"), "it deletes stashed changes"),
    ("branch", _given("DMf", "--force"), "it deletes or moves a branch, whose commits may stand nowhere else"),
    ("reflog", _first("expire", "delete"), "it deletes the way back to commits"),
    ("gc", _given("", "--prune"), _OBJECTS),
    ("prune", _always, _OBJECTS),
    ("update-ref", _given("d", "--stdin"), "it deletes a reference of git"),
    ("tag", _given("df", "--delete", "--force"), "it deletes or moves a tag"),
    (
        "push",
        _given("fd", "--force", "--force-with-lease", "--delete", "--mirror", "--prune"),
        "it overwrites or deletes what others have",
    ),
    ("worktree", _removes_worktree, "it removes a working tree with the changes in the tree"),
    ("filter-branch", _always, "it rewrites the history"),
)
"""Command of git, test of the command's words, and the reason."""
