"""Prompts of servers as slash commands: /server:prompt."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from placet.extensions.commands import Command

if TYPE_CHECKING:
    from placet.extensions.mcp.offers.prompts import McpPrompt


class PromptCommands:
    """Implementation of extensions.commands.CommandSource over the servers' prompts."""

    def __init__(self, prompts: "Callable[[], Sequence[McpPrompt]]") -> None:
        self._prompts = prompts

    def commands(self) -> Sequence[Command]:
        return [self._command(prompt) for prompt in self._prompts() if not any(map(str.isspace, prompt.command))]

    def _command(self, prompt: "McpPrompt") -> Command:
        hint = " ".join(
            f"<{argument.name}>" if argument.required else f"[{argument.name}]" for argument in prompt.arguments
        )
        source = f"the MCP server {prompt.server.name}"
        return Command(prompt.command, " ".join(prompt.description.split()), source, hint, parts=prompt.get)
