"""The parser of one command says what the parser of all commands says."""

import argparse
import os
from pathlib import Path

import pytest

from corpus_support import corpus
from fork_support.started import start_placet
from placet.frontends.terminal.command_line import parser


def commands_of(whole: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    (commands,) = (action for action in whole._actions if isinstance(action, argparse._SubParsersAction))
    return dict(commands.choices)


@corpus("command", commands_of(parser()))
def test_a_command_parsed_alone_has_the_help_that_it_has_among_all(command: str) -> None:
    alone = commands_of(parser(command))
    assert alone[command].format_help() == commands_of(parser())[command].format_help()
    assert len(alone) <= 3


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
