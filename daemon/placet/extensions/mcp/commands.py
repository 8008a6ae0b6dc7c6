"""Servers' prompts as slash commands: /server:prompt."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from placet.extensions.commands import Command
from placet.extensions.mcp.prompts import Prompt


class PromptCommands:
    """extensions.commands.CommandSource."""

    def __init__(self, prompts: Callable[[], Sequence[Prompt]], output_directory: Path) -> None:
        """`output_directory`: where what is too large for a prompt is kept."""
        self._prompts = prompts
        self._output_directory = output_directory

    def commands(self) -> Sequence[Command]:
        return [self._command(prompt) for prompt in self._prompts() if not any(map(str.isspace, prompt.command))]

    def _command(self, prompt: Prompt) -> Command:
        hint = " ".join(f"<{one.name}>" if one.required else f"[{one.name}]" for one in prompt.arguments)
        source = f"the MCP server {prompt.server.name}"
        give = partial(prompt.get, output_directory=self._output_directory)
        return Command(prompt.command, " ".join(prompt.description.split()), source, hint, parts=give)
