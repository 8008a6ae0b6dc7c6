"""A real repository with one commit, and a directory for its worktrees."""

import subprocess
from pathlib import Path


class Repository:
    def __init__(self, directory: Path) -> None:
        self.home = directory / "placet-worktrees"
        self.top = directory / "project"
        self.top.mkdir(exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")
        self.put("a.txt", "one\ntwo\nthree\n")
        self.put(".gitignore", "*.log\n.env\nbuild/\n")
        self.commit("First")

    def git(self, *arguments: str, top: Path | None = None) -> str:
        done = subprocess.run(["git", *arguments], cwd=top or self.top, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def put(self, name: str, text: str, top: Path | None = None) -> Path:
        file = (top or self.top) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def commit(self, message: str, top: Path | None = None) -> str:
        self.git("add", "--all", top=top)
        self.git("commit", "--quiet", "--message", message, top=top)
        return self.git("rev-parse", "HEAD", top=top)
