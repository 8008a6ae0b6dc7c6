import re
from pathlib import Path

from placet.agent.commands.front_end_commands import FRONT_END_COMMANDS, commands_in

WORDS = Path(__file__).parents[3] / "clients/neovim/lua/placet/commands/slash_commands.lua"


def test_the_words_of_the_prompt_buffer_of_neovim_are_the_words_of_the_table() -> None:
    (table,) = re.findall(r"local WORDS = \{(.*?)\}", WORDS.read_text(encoding="utf-8"), re.DOTALL)
    assert sorted(re.findall(r"'([a-z-]+)'", table)) == sorted(command.name for command in commands_in("neovim"))


def test_every_command_has_one_row_a_front_end_and_a_line_of_description() -> None:
    names = [command.name for command in FRONT_END_COMMANDS]
    assert len(names) == len(set(names))
    assert all(command.front_ends and "\n" not in command.description for command in FRONT_END_COMMANDS)


def test_the_commands_about_a_session_are_at_the_terminal_and_in_the_agent_client_protocol() -> None:
    names = {"back", "status", "cost", "permissions", "jobs", "rename", "undo", "redo", "compact"}
    assert names <= {command.name for command in commands_in("terminal")}
    assert names <= {command.name for command in commands_in("acp")}
