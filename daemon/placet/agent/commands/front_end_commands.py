"""Commands by `/name` that the front ends carry out themselves: one table for the front ends."""

from typing import Literal

from msgspec import Struct

from placet.core.events import AvailableCommand

FrontEnd = Literal["terminal", "acp", "editor", "neovim"]
"""`terminal`: the interactive session. `acp`: the Agent Client Protocol. `editor`: the completion of the prompts of
VS Code and Neovim, named after the methods of docs/PROTOCOL.md. `neovim`: the words of the prompt buffer of Neovim,
`clients/neovim/lua/placet/commands/slash_commands.lua`.
"""


class FrontEndCommand(Struct, frozen=True):
    """Command of one or more front ends."""

    name: str
    description: str
    argument: str
    """Hint about the arguments that may follow the name; empty if no argument may follow."""
    front_ends: frozenset[FrontEnd]

    @property
    def available(self) -> AvailableCommand:
        """Return the command as the user sees the command in a list."""
        return AvailableCommand(
            name=self.name, description=self.description, argument_hint=self.argument or None, source="Placet"
        )


def _command(name: str, front_ends: str, description: str, argument: str = "") -> FrontEndCommand:
    letters: dict[str, FrontEnd] = {"t": "terminal", "a": "acp", "e": "editor", "n": "neovim"}
    return FrontEndCommand(name, description, argument, frozenset(letters[letter] for letter in front_ends))


FRONT_END_COMMANDS = (
    _command("help", "t", "Show the commands and keys"),
    _command("model", "ten", "Show or choose the model", "[NAME]"),
    _command("favourite", "tn", "Mark a model as a favourite, or remove the mark", "[NAME]"),
    _command("agent", "ten", "Show or choose the agent", "[NAME]"),
    _command("effort", "tn", "Show or choose how much the model thinks", "[LEVEL]"),
    _command("profile", "tn", "Show or choose how much is asked of the model", "[PROFILE]"),
    _command("caution", "n", "Show or choose how much is asked before the agent acts", "[CAUTION]"),
    _command("thinking", "t", "Show or hide the thinking of the model", "[on|off]"),
    _command("review-mode", "tn", "Show or choose when you decide on changes", "[MODE]"),
    _command("review", "t", "Decide on the changes; with words, the model reviews"),
    _command("changes", "an", "List the changes to review, and all changes of this session"),
    _command(
        "accept",
        "a",
        "Accept proposed changes and keep unreviewed changes: all, a file, or hunks of a file",
        "[FILE [HUNKS]]",
    ),
    _command(
        "reject",
        "a",
        "Reject proposed changes and undo unreviewed changes: all, a file, or hunks of a file",
        "[FILE [HUNKS] [reason]]",
    ),
    _command("undo", "taen", "Undo the file changes of the last turn"),
    _command("redo", "taen", "Redo the changes of the last undo"),
    _command("back", "tan", "Go back to an earlier prompt, in talk and files", "[PROMPT|redo]"),
    _command("cancel", "n", "Cancel the running turn"),
    _command("sessions", "ten", "List the sessions, or continue a session", "[NUMBER|ID]"),
    _command("continue", "t", "Continue the last session of this directory"),
    _command("new", "tn", "Begin a new session"),
    _command("fork", "en", "Continue in a copy of the conversation"),
    _command("rename", "tan", "Give the session a title", "TITLE"),
    _command("delete", "n", "Delete the session"),
    _command("export", "en", "Export the conversation as text"),
    _command("summarize", "n", "Summarize the work of the session"),
    _command("compact", "taen", "Summarize the conversation to free space in the context"),
    _command("status", "tan", "Show agent, model, review, caution, sandbox and servers"),
    _command("cost", "ta", "Show the tokens and the cost of this session"),
    _command("permissions", "tan", "List the permission rules and grants in force"),
    _command("jobs", "ta", "List the commands in the background"),
)


def commands_in(front_end: FrontEnd) -> tuple[FrontEndCommand, ...]:
    """Return the commands of the front end."""
    return tuple(command for command in FRONT_END_COMMANDS if front_end in command.front_ends)
