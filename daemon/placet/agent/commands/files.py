"""Commands in Markdown files: the front matter holds the settings, the text below the front matter is the template."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from placet.agent.compat_models import is_foreign_model
from placet.core.regular_files import read_regular_file
from placet.core.spelling import nearest
from placet.core.values import replace
from placet.extensions.commands import Command
from placet.project.front_matter import FrontMatterError, key_lines, parse_front_matter
from placet.project.prefixed_directory import Directory, PrefixedDirectory, markdown_files
from placet.settings import CommandSettings

MAX_BYTES = 1_000_000
ELSEWHERE = ("allowed-tools", "disable-model-invocation", "hide-from-slash-command-tool", "name", "when_to_use")
"""Fields of other programs' commands without a use in Placet, which asks before a command runs anything in any case."""

IsTrusted = Callable[[Path, bytes], bool]
"""Function which returns whether a file with these bytes may be used."""

_KNOWN = {
    **{name: name for name in CommandSettings.model_fields if name != "template"},
    **dict.fromkeys(("argument-hint", "argumentHint"), "argument_hint"),
}

_HINT = re.compile(r"^(argument-?[hH]int:)[ \t]*([\[<].*?)[ \t\r]*$", re.MULTILINE)


class CommandFileError(Exception):
    """A file cannot be used as a command; the text names the file and the reason."""


def commands_of_files(directories: Sequence[Directory], is_trusted: IsTrusted, notes: list[str]) -> Iterator[Command]:
    """Yield the commands below the directories, the strongest last. Blocks.

    The name is the path below the directory without the suffix; in a bundle, behind the name of the bundle. `notes`
    gets the texts about files and fields which could not be used.
    """
    for directory in directories:
        for name, file in markdown_files(directory):
            try:
                command = _read(name, file, is_trusted, notes)
            except CommandFileError as error:
                notes.append(str(error))
                continue
            if command is not None and isinstance(directory, PrefixedDirectory):
                command = replace(command, template=directory.expanded(command.template))
            if command is not None:
                yield command


def from_settings(name: str, settings: CommandSettings, source: str) -> Command:
    return Command(
        name,
        " ".join(settings.description.split()),
        source,
        settings.argument_hint,
        settings.template,
        agent=settings.agent,
        model=settings.model,
        effort=settings.effort,
        subtask=settings.subtask,
    )


def _read(name: str, file: Path, is_trusted: IsTrusted, notes: list[str]) -> Command | None:
    """Return the command, or None if the file may not be used: mistakes in such a file are not reported either."""
    try:
        raw = read_regular_file(file, MAX_BYTES)
        if not is_trusted(file, raw):
            return None
        text = _with_quoted_hint(raw.decode("utf-8-sig"))
        fields, body = parse_front_matter(text)
        lines = key_lines(text)
    except (OSError, UnicodeDecodeError, FrontMatterError) as error:
        raise CommandFileError(f"{file}: {error}") from error
    if any(character.isspace() for character in name):
        raise CommandFileError(f"{file}: the name of a command cannot contain blanks; rename the file")
    if not body.strip():
        raise CommandFileError(f"{file}: the file has no text below its front matter")
    settings = _validated(fields, lambda *path: f"{file}:{lines[path]}" if path in lines else str(file), notes)
    return from_settings(name, settings.model_copy(update={"template": body.strip()}), str(file))


def _validated(fields: dict[str, Any], place: Callable[..., str], notes: list[str]) -> CommandSettings:
    """Return the settings in the fields. Raises CommandFileError for a misspelled name or a wrong value."""
    used: dict[str, Any] = {}
    for name, value in fields.items():
        if name == "model" and is_foreign_model(value):
            if value != "inherit":
                notes.append(f"{place(name)}: `model: {value}` names no provider, and is ignored")
        elif name in _KNOWN:
            used[_KNOWN[name]] = value
        elif name not in ELSEWHERE and (near := nearest(name, _KNOWN)):
            raise CommandFileError(f"{place(name)}: there is no `{name}`; did you mean `{near}`?")
        else:
            notes.append(f"{place(name)}: Placet ignores the field `{name}` of a command")
    try:
        return CommandSettings.model_validate({**used, "template": "."})
    except ValidationError as error:
        issue = error.errors(include_url=False)[0]
        raise CommandFileError(f"{place(str(issue['loc'][0]))}: `{issue['loc'][0]}`: {issue['msg']}") from error


def _with_quoted_hint(text: str) -> str:
    """Return the text with the hint quoted: `argument-hint: [file] [lines]`, a common form, is no YAML."""
    return _HINT.sub(lambda match: f"{match[1]} '{match[2].replace(chr(39), chr(39) * 2)}'", text, count=1)
