"""A command is one file, and the parser of one command says what the parser of all commands says."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest

from corpus_support import corpus
from fork_support.started import start_placet
from placet import command_line
from placet.__main__ import main
from placet.command_line import work
from placet.command_line.parser import parser
from placet.command_line.registry import SECTIONS
from placet.frontends.terminal.completion import words_of
from scripts.protocol.command_line_page import command_line_page


def commands_of(whole: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    (commands,) = (action for action in whole._actions if isinstance(action, argparse._SubParsersAction))
    return dict(commands.choices)


@corpus("command", commands_of(parser()))
def test_a_command_parsed_alone_has_the_help_that_it_has_among_all(command: str) -> None:
    alone = commands_of(parser(command))
    assert alone[command].format_help() == commands_of(parser())[command].format_help()
    assert list(alone) == [command]


GREET = """
from placet.command_line.registry import Command


def add(parser):
    parser.add_argument("name", metavar="NAME", help="whom to greet")
    parser.add_argument("--loudly", action="store_true", help="greet in capitals")


def run(options):
    greeting = f"Hello, {options.name}"
    print(greeting.upper() if options.loudly else greeting)
    return 7


COMMAND = Command("greet a person", add, run)
"""


def test_a_new_file_is_a_command_with_its_help_completion_and_documentation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "greet.py").write_text(GREET, "utf-8")
    monkeypatch.setattr(command_line, "__path__", [*command_line.__path__, str(tmp_path)])
    monkeypatch.setattr(work, "__path__", [*work.__path__, str(tmp_path / "work")])
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    try:
        assert (main(["greet", "Ada", "--loudly"]), capsys.readouterr().out) == (7, "HELLO, ADA\n")
        assert "greet a person" in parser().format_help()
        assert words_of(parser())["greet"] == {
            "--help": words_of(parser())["run"]["--help"],
            "--loudly": "greet in capitals",
        }
        assert "### placet greet\n\nGreet a person.\n" in command_line_page()
        assert "| `--loudly` | greet in capitals |" in command_line_page()
    finally:
        sys.modules.pop("placet.command_line.work.greet", None)


def test_the_help_lists_the_commands_of_a_section_under_its_heading() -> None:
    told = parser().format_help().splitlines()
    work, review = told.index("  Work:"), told.index("  Review and answers:")
    commands = [line.split()[0] for line in told[work + 1 : review] if line.startswith("    ") and line[4] != " "]
    assert commands == ["chat", "run", "worktree"]
    assert [line.strip(" :") for line in told if line.startswith("  ") and line.endswith(":")] == [*SECTIONS.values()]


def test_a_command_is_defined_without_the_code_that_runs_it() -> None:
    code = "import sys; from placet.command_line.parser import parser; parser(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {name for name in done.stdout.split() if name.startswith("placet.frontends.") and name.count(".") > 2}
    assert heavy <= {"placet.frontends.terminal.run", "placet.frontends.terminal.run.run_options"}


def test_without_a_known_command_the_parser_knows_all() -> None:
    assert commands_of(parser("nosuch")).keys() == commands_of(parser()).keys() > {"run", "schema", "doctor"}


@pytest.mark.skipif(os.name == "nt", reason="a closed pipe is another error there")
@corpus(
    "arguments", [["tools"], ["agents"], ["sessions", "list"], ["setup"], ["schema"], ["doctor"], ["completion", "zsh"]]
)
def test_a_command_whose_reader_has_gone_ends_quietly(tmp_path: Path, arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    environment = {**os.environ, **{f"XDG_{name}_HOME": str(tmp_path / name) for name in ("DATA", "CONFIG", "STATE")}}
    process = start_placet(arguments, tmp_path, environment, stdout=writer)
    os.close(writer)
    _, said = process.communicate()
    assert (process.returncode, said) == (141, "")


def test_ctrl_c_while_a_command_is_imported_ends_without_a_traceback() -> None:
    code = (
        "import signal, sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'placet.command_line.parser': signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # Ignored in the background of a shell.
        "from placet.__main__ import main\n"
        "sys.exit(main(['tools']))\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")
