"""Where Git for Windows has its bash, on data; and the name of the shell in the text for the model."""

import json
from pathlib import Path, PureWindowsPath

import pytest

from corpus_support import corpus
from placet.tools.framework import builtin
from placet.tools.framework.define import AgentView
from placet.tools.shell import offer, program
from placet.tools.shell.program import find_git_bash, git_bash, roots_of_git
from placet.tools.texts import text_for

ENVIRONMENT = {"ProgramFiles": "C:\\Program Files", "LOCALAPPDATA": "C:\\Users\\ada\\AppData\\Local"}


def no_path() -> None:
    return None


@corpus(
    ("registered", "git", "exec_path", "root"),
    [
        ("D:\\Git", None, None, "D:\\Git"),
        (None, "E:\\tools\\Git\\cmd\\git.exe", None, "E:\\tools\\Git"),
        (None, "E:\\tools\\Git\\mingw64\\bin\\git.exe", None, "E:\\tools\\Git"),
        (None, None, None, "C:\\Program Files\\Git"),
        (None, None, None, "C:\\Users\\ada\\AppData\\Local\\Programs\\Git"),
        (None, "C:\\scoop\\shims\\git.exe", "C:/scoop/apps/git/mingw64/libexec/git-core", "C:\\scoop\\apps\\git"),
    ],
)
def test_bash_is_found_where_git_is_installed(
    registered: str | None, git: str | None, exec_path: str | None, root: str
) -> None:
    bash = PureWindowsPath(root, "bin", "bash.exe")
    roots = roots_of_git(ENVIRONMENT, registered, git, lambda: exec_path)
    assert git_bash(roots, lambda path: path == bash) == str(bash)


def test_the_bash_that_knows_the_programs_of_git_comes_first() -> None:
    assert git_bash(roots_of_git({}, "D:\\Git", None, no_path), lambda _: True) == "D:\\Git\\bin\\bash.exe"
    only_inner = PureWindowsPath("D:\\Git\\usr\\bin\\bash.exe")
    assert git_bash(roots_of_git({}, "D:\\Git", None, no_path), lambda path: path == only_inner) == str(only_inner)


def test_git_is_asked_only_where_bash_was_found_nowhere_else() -> None:
    def fail() -> str:
        raise AssertionError

    assert git_bash(roots_of_git({}, None, "C:\\Git\\cmd\\git.exe", fail), lambda _: True)


def test_the_bash_of_another_machine_is_not_taken() -> None:
    """`C:\\Windows\\System32\\bash.exe` is that of WSL."""
    wsl = PureWindowsPath("C:\\Windows\\System32\\bash.exe")
    git = "C:\\Git\\cmd\\git.exe"
    assert git_bash(roots_of_git(ENVIRONMENT, None, git, no_path), lambda path: path == wsl) is None


def test_other_systems_have_no_git_bash() -> None:
    assert find_git_bash(ENVIRONMENT) is None


@corpus(
    ("shell", "name", "chain"),
    [
        ("/usr/bin/bash", "bash.", "`&&`"),
        ("C:/Git/bin/bash.exe", "bash.", "`&&`"),
        ("C:/Program Files/PowerShell/7/pwsh.exe", "PowerShell (pwsh), not in bash.", "`&&`"),
        ("C:/Windows/powershell.exe", "PowerShell (powershell), not in bash.", "`;`"),
        ("/bin/sh", "sh, not in bash.", "`&&`"),
    ],
)
def test_the_text_for_the_model_names_the_shell_that_runs(
    monkeypatch: pytest.MonkeyPatch, shell: str, name: str, chain: str
) -> None:
    monkeypatch.setattr(program, "_shell", lambda: Path(shell))
    text = program.for_shell(text_for("bash"))
    assert text.startswith(f"Run a command in {name}\n")
    assert f"Chain what belongs together with {chain}." in text


@corpus(
    ("shell", "runs_a_text"),
    [("pwsh", "`pwsh -Command`"), ("powershell", "`powershell -Command`"), ("bash", "`bash -c`")],
)
async def test_under_powershell_no_word_of_the_tool_is_about_bash_or_a_sandbox(
    monkeypatch: pytest.MonkeyPatch, shell: str, runs_a_text: str
) -> None:
    is_bash = shell == "bash"
    monkeypatch.setattr(program, "_shell", lambda: Path(f"C:/{shell}.exe"))
    monkeypatch.setattr(offer, "HAS_SANDBOXES", is_bash)
    tool = next(tool for tool in builtin.BUILTIN if tool.id == "bash")
    ready = await tool.init(AgentView("build"))

    whole = f"{ready.description}\n{json.dumps(ready.schema)}"
    assert runs_a_text in whole
    for word in ("for bash", "`bash -c`", "`eval`", "`head`", "sandbox"):
        assert (word in whole) == (is_bash and word != "for bash"), word
