"""The shells themselves complete the command line of placet."""

import shutil
import subprocess
from pathlib import Path

import pytest

from placet.command_line.parser import parser
from placet.frontends.terminal.completion import bash, fish, words_of, zsh

WORDS = words_of(parser())
BASH = """
t() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _placet; echo "${COMPREPLY[*]}"; }
"""


def test_every_command_action_option_and_choice_is_known() -> None:
    assert {"run", "chat", "sessions", "completion"} <= WORDS[""].keys()
    assert {"list", "export"} <= WORDS["sessions"].keys()
    assert {"--cwd", "--json"} <= WORDS["sessions list"].keys()
    assert "neovim" in WORDS["setup"]
    assert WORDS["sessions"]["list"].startswith("list the sessions")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("se", ["setup", "sessions"]),
        ("sessions l", ["list"]),
        ("sessions list --j", ["--json"]),
        ("run sessions --eff", ["--effort"]),
        ("completion f", ["fish"]),
    ],
)
def test_bash_completes(typed: str, offered: list[str]) -> None:
    script = f"{bash(WORDS)}{BASH}t placet {typed}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert (sorted(done.stdout.split()), done.stderr) == (sorted(offered), "")


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not here")
def test_zsh_completes() -> None:
    stubs = "compdef() { :; }; _describe() { print -l -- ${(P)2}; }; _files() { :; }\n"
    script = f"{stubs}{zsh(WORDS)}\nwords=(placet sessions l); CURRENT=3; _placet"
    done = subprocess.run(["zsh", "-f", "-c", script], capture_output=True, text=True, check=True)
    assert "list:list the sessions of the project, the last used first" in done.stdout.splitlines()
    assert done.stderr == ""


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not here")
def test_fish_completes(tmp_path: Path) -> None:
    script = f"{fish(WORDS)}\ncomplete -C 'placet sessions l'; complete -C 'placet sessions list --j'"
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        ["fish", "--no-config", "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    offered = [line.split("\t")[0] for line in done.stdout.splitlines()]
    assert ("list" in offered, "--json" in offered, "export" in offered) == (True, True, False)
