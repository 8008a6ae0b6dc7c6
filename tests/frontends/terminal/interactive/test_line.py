from corpus_support import corpus
from placet.frontends.terminal.interactive.line import (
    Act,
    Interrupt,
    Leave,
    Nothing,
    OwnCommand,
    TypedAnswer,
    TypedPrompt,
    interrupted,
    meant,
)
from placet.frontends.terminal.interactive.own_commands import COMMANDS, NAMES, help_text


@corpus(
    ("line", "act"),
    [
        ("", Nothing()),
        ("  \n ", Nothing()),
        ("fix it\nall of it", TypedPrompt("fix it\nall of it")),
        ("/model a/b", OwnCommand("model", "a/b")),
        ("/undo", OwnCommand("undo", "")),
        ("/init", TypedPrompt("/init")),
        ("/models", TypedPrompt("/models")),
        ("/usr/bin is a path", TypedPrompt("/usr/bin is a path")),
        ("exit", Leave()),
        (" quit ", Leave()),
        ("/exit", Leave()),
        ("exit the loop", TypedPrompt("exit the loop")),
    ],
)
def test_a_line_is_a_command_or_a_prompt(line: str, act: Act) -> None:
    assert meant(line, NAMES, is_asked=False) == act


@corpus("line", ["", "y", "/undo", "exit"])
def test_every_line_answers_while_a_question_is_asked(line: str) -> None:
    assert meant(line, NAMES, is_asked=True) == TypedAnswer(line)


@corpus(
    ("is_second", "has_text", "is_busy", "effect"),
    [
        (False, True, True, "clear"),
        (True, True, True, "clear"),
        (False, False, True, "stop"),
        (False, False, False, "warn"),
        (True, False, True, "leave"),
        (True, False, False, "leave"),
    ],
)
def test_ctrl_c_clears_stops_and_then_leaves(is_second: bool, has_text: bool, is_busy: bool, effect: Interrupt) -> None:
    assert interrupted(is_second=is_second, has_text=has_text, is_busy=is_busy) == effect


def test_the_help_names_every_command() -> None:
    assert all(f"  /{command.name} " in help_text() for command in COMMANDS)
    assert max(map(len, help_text().split("\n"))) <= 80
