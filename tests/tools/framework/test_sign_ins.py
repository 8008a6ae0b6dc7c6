"""No output of a tool shows the model a sign-in that stands in git's configuration."""

import base64
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from corpus_support import corpus
from placet.project.git.sign_ins import HIDDEN, without_sign_ins
from placet.tools import bash, read
from tools_support.workbench import Workbench, open_workbench

TOKEN = "ghs_0123456789abcdefghijABCDEFGHIJ012345"
PASSWORD = "correct-horse-battery"
HEADER = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
WAYS = (
    "git config --list",
    "git config --get remote.origin.url",
    "git config --get-regexp 'remote.*'",
    "git remote -v",
    "git remote get-url origin",
    "git ls-remote --get-url",
    "cat .git/config",
    "grep -rh url .git",
    "awk '{print}' .git/config",
    "python3 -c \"print(open('.git/config').read())\"",
    "cd nested && git remote -v",
    "head -c 1000 nested/.git/config",
)


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)


@pytest.fixture
async def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Workbench]:
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    async with open_workbench(tmp_path) as bench:
        git(bench.root, "init", "-q")
        git(bench.root, "init", "-q", "nested")
        git(bench.root, "remote", "add", "origin", f"https://user:{PASSWORD}@example.org/x.git")
        git(bench.root / "nested", "remote", "add", "origin", f"https://{TOKEN}@example.org/y.git")
        git(bench.root, "config", "http.https://example.org/.extraheader", f"AUTHORIZATION: basic {HEADER}")
        yield bench


@pytest.mark.skipif(sys.platform == "win32", reason="lines of bash")
async def test_no_command_prints_a_sign_in_of_a_repository(bench: Workbench) -> None:
    shown = [(await bench.run(bash.TOOL, command=line)).output for line in WAYS]
    assert [line for line, output in zip(WAYS, shown, strict=True) if HIDDEN not in output] == []
    whole = "".join(shown)
    assert [secret for secret in (TOKEN, PASSWORD, HEADER) if secret in whole] == []


async def test_read_and_grep_show_no_sign_in_and_everything_else(bench: Workbench) -> None:
    output = (await bench.run(read.TOOL, filePath=str(bench.root / ".git/config"))).output
    assert PASSWORD not in output
    assert HEADER not in output
    assert f"https://user:{HIDDEN}@example.org/x.git" in output
    bench.write("a.py", "url = 'https://someone:a-password@example.org'\n")
    output = (await bench.run(read.TOOL, filePath=str(bench.root / "a.py"))).output
    assert "https://someone:a-password@example.org" in output, "what stands in no configuration of git stays"


@corpus(
    ("name", "text", "secret"),
    [
        (".gitconfig", f'[url "https://x:{PASSWORD}@example.org/"]\n\tinsteadOf = https://example.org/\n', PASSWORD),
        (".gitconfig", f"[github]\n\ttoken = {PASSWORD}\n", PASSWORD),
        (".gitconfig", f"[sendemail]\n\tsmtpPass = {PASSWORD}\n", PASSWORD),
        (".git-credentials", f"https://user:{PASSWORD}@example.org\n", PASSWORD),
        (".config/git/config", f'[http]\n\textraHeader = "Authorization: Bearer {PASSWORD}"\n', PASSWORD),
        (".gitconfig", f'[http]\n\textraHeader = "Authorization: Basic {HEADER}"\n', TOKEN),
        (".gitconfig", '[url "https://user:with%40sign@example.org/"]\n', "with@sign"),
    ],
)
def test_the_sign_ins_of_the_user_are_hidden_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, secret: str
) -> None:
    monkeypatch.setattr("placet.project.git.sign_ins.user_home", lambda: tmp_path)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(text)
    assert without_sign_ins(f"it is {secret}.", (tmp_path,)) == f"it is {HIDDEN}."


def test_a_changed_sign_in_is_known_at_once(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    for password in ("first-password", "another-password"):
        git(tmp_path, "config", "remote.origin.url", f"https://user:{password}@example.org/x.git")
        assert without_sign_ins(password, (tmp_path,)) == HIDDEN
    git(tmp_path, "config", "remote.origin.url", "https://user:short@example.org/x.git")
    assert without_sign_ins("a short text", (tmp_path,)) == "a short text"
