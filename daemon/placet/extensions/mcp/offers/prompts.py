"""Prompts of servers for commands: `server:prompt`, with arguments in the server's order."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from placet.core.errors import RequestError, ToolError
from placet.core.executor import in_thread
from placet.core.messages import FilePart, TextPart
from placet.extensions.mcp.catalog import OfferedPrompt, PromptArgument
from placet.extensions.mcp.offers.results import Content
from placet.extensions.mcp.server import Server


@dataclass(frozen=True, slots=True)
class McpPrompt:
    server: Server
    name: str
    """Name that the server gave to the prompt."""
    description: str
    arguments: tuple[PromptArgument, ...]

    @property
    def command(self) -> str:
        """Text that the user writes behind the slash."""
        return f"{self.server.name}:{self.name}"

    async def get(self, arguments: Sequence[str], output_directory: Path) -> list[TextPart | FilePart]:
        """Return the server's parts for the arguments, by position; the last argument takes all the remaining words.

        Raises RequestError where a required argument is missing, or the server cannot be asked.
        """
        names = [argument.name for argument in self.arguments]
        words = [*arguments[: len(names) - 1], " ".join(arguments[len(names) - 1 :])] if names else []
        given = {name: word for name, word in zip(names, words, strict=False) if word}
        if missing := [
            argument.name for argument in self.arguments if argument.required and argument.name not in given
        ]:
            usage = " ".join(
                f"<{argument.name}>" if argument.required else f"[{argument.name}]" for argument in self.arguments
            )
            raise RequestError(f"/{self.command} needs {missing[0]}: /{self.command} {usage}")
        try:
            result = await self.server.prompt(self.name, given)
        except ToolError as error:
            raise RequestError(f"/{self.command}: {error}") from error
        return await in_thread(_parts, result.get("messages") or (), output_directory)

    async def values(self, begun: str, earlier: Sequence[str] = ()) -> list[str]:
        """Return the server's proposals for the argument behind the earlier arguments, which the server is told.

        Raises ToolError.
        """
        if len(earlier) >= len(self.arguments):
            return []
        names = [argument.name for argument in self.arguments]
        known = dict(zip(names, earlier, strict=False))
        return await self.server.values(OfferedPrompt(self.name), names[len(earlier)], begun, known)


def prompts_of(server: Server) -> list[McpPrompt]:
    return [McpPrompt(server, prompt.name, prompt.description, prompt.arguments) for prompt in server.offered.prompts]


def _parts(messages: Sequence[Any], output_directory: Path) -> list[TextPart | FilePart]:
    """Return the messages as one prompt; a message from the assistant is marked as such. Blocks."""
    parts: list[TextPart | FilePart] = []
    for message in messages:
        content = Content(output_directory)
        content.take(message.get("content") or {})
        if content.text:
            is_answer = message.get("role") == "assistant"
            parts.append(TextPart(text=f"(You said:)\n{content.text}" if is_answer else content.text))
        parts += content.attachments
    return parts
