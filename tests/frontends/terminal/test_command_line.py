"""The parser of one command says what the parser of all commands says."""

import argparse

import pytest

from placet.__main__ import parser


def commands_of(whole: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    (commands,) = (action for action in whole._actions if isinstance(action, argparse._SubParsersAction))
    return dict(commands.choices)


@pytest.mark.parametrize("command", commands_of(parser()))
def test_a_command_parsed_alone_has_the_help_that_it_has_among_all(command: str) -> None:
    alone = commands_of(parser(command))
    assert alone[command].format_help() == commands_of(parser())[command].format_help()
    assert len(alone) <= 3


def test_without_a_known_command_the_parser_knows_all() -> None:
    assert commands_of(parser("nosuch")).keys() == commands_of(parser()).keys() > {"run", "schema", "doctor"}
