"""Commands whose effect neither undo nor a review brings back, each with the reason: these are asked inside a sandbox.

The sandbox lets git write the repository of the project, and undo covers files, but no history of git.
"""

from collections.abc import Callable, Sequence

from placet.permissions.shell.inspection import names
from placet.permissions.shell.programs.git_options import git_words
from placet.permissions.spellings import by_program, means, reason_for

REMOVERS = names("rm rmdir unlink shred trash")
"""Names of the programs that remove the files in their arguments."""
_DISCARDS = "it discards changes that stand in no commit"
_CLEANS = "it removes files that git ignores, or repositories below, which undo does not cover"
_LOSSES = by_program(
    {
        _DISCARDS: """
            git reset --hard *|git reset --merge *|git reset --keep *|git restore --worktree *|git checkout -f *
            git checkout --ours *|git checkout --theirs *|git switch -f *
        """,
        _CLEANS: "git clean -x *|git clean -X *|git clean --exclude=!* *",
        "it deletes stashed changes": "git stash drop *|git stash clear *",
        "it deletes or moves a branch, whose commits may stand nowhere else": """
            git branch -D *|git branch -M *|git branch -f *
        """,
        "it deletes the way back to commits": "git reflog expire *|git reflog delete *",
        "it deletes objects of git that undo cannot bring back": "git gc --prune *|git prune *",
        "it deletes a reference of git": "git update-ref -d *|git update-ref --stdin *",
        "it deletes or moves a tag": "git tag -d *|git tag -f *",
        "it overwrites or deletes what others have": """
            git push -f *|git push -d *|git push --force-with-lease *|git push --mirror *|git push --prune *
        """,
        "it removes a working tree with the changes in the tree": "git worktree remove -f *",
        "it rewrites the history": "git filter-branch *",
    }
)
"""Patterns of commands, as rules have patterns, by the reason."""


def loss_of(argv: Sequence[str], is_file: Callable[[str], bool]) -> str:
    """Return what the command of git loses for good, or "". `is_file` says whether a word is a path on disk."""
    if reason := reason_for(argv, _LOSSES):
        return reason
    match git_words(argv):
        case ["clean", *options] if sum(map(_forces, options)) > 1:
            return _CLEANS  # `-f` twice: git-clean(1).
        case ["restore", *_] if not means("git restore --staged *", argv):
            return _DISCARDS
        case ["checkout", *words] if "--" in words or (not _makes_branch(argv) and any(map(is_file, words))):
            return _DISCARDS
        case _:
            return ""


def _forces(option: str) -> int:
    return option.startswith("--f") if option.startswith("--") else option.startswith("-") * option.count("f")


def _makes_branch(argv: Sequence[str]) -> bool:
    return any(means(f"git checkout {option} *", argv) for option in ("-b", "-B", "--orphan"))
