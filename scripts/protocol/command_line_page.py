"""docs/COMMAND-LINE.md: every command with its actions, arguments and options, made of the parser."""

import argparse
from collections.abc import Iterator

from placet.command_line.parser import parser
from placet.command_line.registry import SECTIONS, command_modules

_HEAD = """\
# Command line

[TERMINAL.md](TERMINAL.md) tells how the commands are used; this page lists every action and option.
Each command and action also takes `-h` or `--help`.
"""


def command_line_page() -> str:
    """Return the page as Markdown."""
    commands = _below(parser())
    modules = command_modules()
    lines = [_HEAD]
    for section, heading in SECTIONS.items():
        lines.append(f"## {heading}\n")
        for name, module in modules.items():
            if module.split(".")[-2] == section:
                lines.extend(_command(f"placet {name}", *commands[name], level=3))
    return "\n".join(lines)


def _command(path: str, about: str, defined: argparse.ArgumentParser, *, level: int) -> Iterator[str]:
    yield f"{'#' * level} {path}\n"
    yield f"{_sentence(about)}\n"
    if defined.description and defined.description.rstrip(".").lower() != about.lower():
        yield f"{defined.description}\n"
    if rows := [_row(action) for action in _arguments(defined)]:
        yield "| argument | effect |\n|---|---|"
        yield "\n".join(rows) + "\n"
    for name, (action_about, action) in _below(defined).items():
        yield from _command(f"{path} {name}", action_about, action, level=level + 1)


def _below(defined: argparse.ArgumentParser) -> dict[str, tuple[str, argparse.ArgumentParser]]:
    """Return the commands or actions of a parser by name, each with its line of help."""
    for action in defined._actions:
        if isinstance(action, argparse._SubParsersAction):  # pyright: ignore[reportPrivateUsage]
            abouts = {choice.dest: choice.help or "" for choice in action._choices_actions}
            return {name: (abouts[name], below) for name, below in action.choices.items()}
    return {}


def _arguments(defined: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in defined._actions:
        if not isinstance(action, argparse._SubParsersAction | argparse._HelpAction):  # pyright: ignore[reportPrivateUsage]
            yield action


def _row(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else str(action.metavar or ("" if action.choices else action.dest.upper()))
    names = ", ".join(f"`{name}{f' {value}' if value else ''}`" for name in action.option_strings)
    effect = (action.help or "").replace("%%", "%")
    if action.choices is not None:
        effect = f"one of {', '.join(f'`{choice}`' for choice in action.choices)}{'; ' if effect else ''}{effect}"
    argument = names or f"`{value or action.dest}`"
    return "| {} | {} |".format(*(cell.replace("|", "\\|") for cell in (argument, effect)))


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
