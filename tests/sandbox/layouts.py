"""A workspace with many repositories in odd places, and a program that tries to change what git and editors obey."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

IDENTITY = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always")
DEEP = ("a/b/c/d/e/f", ".hidden/repository", "node_modules/package", "lib/site-packages/package", "target/checkout")
OBEYED = frozenset(("config", "config.worktree", "attributes", "exclude", "commondir"))
"""Files of a git directory that git obeys, beside hooks."""
NAMES = ("a/b/c/d/e/.vscode/tasks.json", ".hidden/.envrc", "packages/one/.mcp.json")
ATTACK = r"""
import os, pathlib, shutil
PLANTED = "[core]\n\tfsmonitor = PLANTED\n"
ENTRIES = ("config", "hooks/post-checkout", "config.worktree", "info/attributes", "info/exclude", "commondir")

def attempt(act, *arguments):
    try:
        act(*arguments)
    except OSError:
        pass

def append(file):
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as opened:
        opened.write(PLANTED)

tops = [pathlib.Path(top) for top, names, files in os.walk(".") if ".git" in (*names, *files)]
for top in tops:
    git = top / ".git"
    parts = [head.parent for head in git.glob("modules/**/HEAD") if "logs" not in head.parts]
    parts += [*git.glob("**/worktrees/*"), git / "modules/new", git / "worktrees/new", git / "modules/one/two/HEAD"]
    for directory in (git, *parts) if git.is_dir() else ():
        for entry in ENTRIES if directory == git else (*ENTRIES, "gitdir"):
            attempt(append, directory / entry)
    attempt(append, top / "made" / ".envrc")
    attempt(append, top / "made" / "deep" / "er" / ".vscode" / "tasks.json")
    attempt(append, top / "made" / ".git" / "hooks" / "pre-commit")
    attempt(append, top / "made" / ".git" / "HEAD")
    for name in ("objects/x", "refs/x", "HEAD", "config"):
        attempt(append, top / "bare" / name)
    attempt(os.rename, git, top / ".git2")
    attempt(shutil.copytree, top / ".git2", git)
    attempt(append, git / "config")
    attempt(append, git / "hooks" / "post-checkout")
    attempt(os.rename, top, f"{top}2")
for name in NAMES:
    attempt(append, pathlib.Path(name))
"""


def git(directory: Path, *arguments: str) -> str:
    directory.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(("git", *IDENTITY, *arguments), cwd=directory, check=True, capture_output=True, text=True)
    return done.stdout


def write(file: Path, text: str = "") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def committed(directory: Path, *arguments: str) -> Path:
    """Make a repository with one commit in the directory, and return the directory."""
    git(directory, "init", "-q", *arguments)
    write(directory / "file", "first\n")
    git(directory, "add", "file")
    git(directory, "commit", "-qm", "first")
    return directory


def lay(project: Path, repositories: int = 14, submodules: int = 12) -> None:
    """Fill the project: sibling repositories, one with submodules and a worktree, and repositories in odd places."""
    source = committed(project.parent / "source")
    for number in range(repositories):
        committed(project / f"r{number:02}")
    for number in range(submodules):
        name = "one/two/three/four/five/six" if number == 0 else f"sub{number}"
        git(project / "r00", "submodule", "add", "-q", "--name", name, str(source), f"sub{number}")
    git(project / "r00", "commit", "-qm", "modules")
    git(project / "r00", "worktree", "add", "-q", "tree")
    git(project / "r00/sub0", "worktree", "add", "-q", "../subtree")
    for place in DEEP:
        committed(project / place)
    for name in NAMES:
        write(project / name)
    write(project / "attack.py", f"NAMES = {NAMES!r}\n{ATTACK}")


def planted(project: Path) -> Iterator[str]:
    """Yield the files that git or an editor obeys and that hold the word of the attempt.

    A directory counts as a bare repository only with `HEAD`, and names count outside of installed packages.
    """
    for directory, names, files in os.walk(project):
        parts = Path(directory).relative_to(project).parts
        if ".git" in parts:
            names[:] = [name for name in names if name not in ("objects", "refs", "logs")]
        is_git = ".git" in parts or ("bare" in parts[-1:] and "HEAD" in files)
        is_package = not {"node_modules", "site-packages"}.isdisjoint(parts)
        for name in files:
            is_obeyed = is_git and (name in OBEYED or "hooks" in parts)
            is_named = ".vscode" in parts or name in (".envrc", ".mcp.json")
            if is_obeyed or (is_named and not is_package):
                file = Path(directory, name)
                if "PLANTED" in file.read_text(errors="replace"):
                    yield str(file.relative_to(project))
