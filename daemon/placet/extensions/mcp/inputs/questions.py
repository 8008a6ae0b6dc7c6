"""Questions about the inputs of servers, and the values in the answers. Pure."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from placet.core.ports import OptionalQuestion, Question, QuestionOption
from placet.core.visible_text import one_line, shortened
from placet.settings import McpServerSettings
from placet.settings.mcp import McpInput

AskUser = Callable[[Sequence[Question]], Awaitable[list[list[str]] | None]]
"""Function that asks the user as ports.Approver.ask does, in one session. Raises NobodyToAsk."""

EMPTY = "(empty)"
"""Label of a default without a text."""
DEFAULT = "The default."
MOST_HEADER = 30
MOST_TEXT = 500
MOST_PLACE = 200

Wanted = Mapping[McpInput, Mapping[str, McpServerSettings]]
"""Inputs that the user is asked for, each with the servers that use the input, by name."""


def wanted_inputs(servers: Mapping[str, McpServerSettings], missing: Mapping[str, Sequence[McpInput]]) -> Wanted:
    """Return the missing inputs of the servers. Servers with the same definition of an input share one question."""
    wanted: dict[McpInput, dict[str, McpServerSettings]] = {}
    for name, inputs in missing.items():
        for entry in inputs:
            wanted.setdefault(entry, {})[name] = servers[name]
    return wanted


def input_questions(wanted: Wanted) -> list[Question]:
    """Return a question for each input; each question names the servers and the places that get the value."""
    return [_question(entry, servers) for entry, servers in wanted.items()]


def given_values(wanted: Wanted, answers: Sequence[Sequence[str]]) -> dict[str, dict[str, str]]:
    """Return the values by server and input. An input without a usable answer is left out."""
    values: dict[str, dict[str, str]] = {}
    for (entry, servers), answer in zip(wanted.items(), answers, strict=False):
        if (value := _value(entry, answer)) is not None:
            for name in servers:
                values.setdefault(name, {})[entry.id] = value
    return values


def _question(entry: McpInput, servers: Mapping[str, McpServerSettings]) -> Question:
    names = " and ".join(map(one_line, servers))
    asks = f"The MCP server {names} asks" if len(servers) == 1 else f"The MCP servers {names} ask"
    about = shortened(one_line(entry.description) or one_line(entry.id), MOST_TEXT)
    places = " and to ".join(dict.fromkeys(map(_place, servers.values())))
    header = shortened(f"MCP server {names}" if len(servers) == 1 else f"MCP servers {names}", MOST_HEADER)
    return OptionalQuestion(
        header,
        f"{asks} for: {about}\nPlacet gives the value to {places}.",
        tuple(QuestionOption(label, DEFAULT if value == entry.default else "") for label, value in _choices(entry)),
        custom=entry.type == "promptString",
        secret=entry.password,
    )


def _choices(entry: McpInput) -> list[tuple[str, str]]:
    """Return the labels and values that the question offers."""
    if entry.type == "pickString":
        return [(choice.label, choice.value) for choice in entry.choices]
    if entry.password or entry.default is None:
        return []
    return [(entry.default or EMPTY, entry.default)]


def _place(settings: McpServerSettings) -> str:
    """Return the address or the program, as written: with the references, and without any value."""
    if settings.url is not None:
        return shortened(one_line(settings.url), MOST_PLACE)
    written = (settings.command,) if isinstance(settings.command, str) else settings.command
    return f"`{shortened(one_line(' '.join((*written, *settings.args))), MOST_PLACE)}`"


def _value(entry: McpInput, answer: Sequence[str]) -> str | None:
    text = next((words.strip() for words in answer if words.strip()), None)
    if text is None:
        return None
    chosen = dict(_choices(entry)).get(text)
    if chosen is not None or entry.type == "pickString":
        return chosen
    return text
