"""Agents in Markdown files: the front matter holds the settings, the text below the front matter is the prompt."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from msgspec import Struct, field

from placet.core.regular_files import read_regular_file
from placet.project.front_matter import FrontMatterError, key_lines, parse_front_matter
from placet.project.prefixed_directory import Directory, PrefixedDirectory, markdown_files

MAX_BYTES = 1_000_000

Vouches = Callable[[Path, bytes], bool]
"""Function which returns whether a file with these bytes may be used."""


class Written(Struct, frozen=True):
    """Definition of an agent as written in a source, not yet validated."""

    name: str
    fields: Any
    source: str
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict[tuple[str, ...], int])
    """Line of each key in the source, as far as the line is known."""


class AgentFileError(Exception):
    """A file cannot be read as an agent; the text names the file and the reason."""


def find_agent_files(directory: Directory) -> list[tuple[str, Path]]:
    """Return the name and the file of every agent below the directory, in the order of the names. Blocks.

    The name is the path below the directory without the suffix, as in OpenCode; in a bundle, behind the name of the
    bundle.
    """
    return sorted((name, file) for name, file in markdown_files(directory) if file.is_file())


def read_agent_file(name: str, file: Path, vouches: Vouches, directory: Directory | None = None) -> Written | None:
    """Return the agent as written in the file, or None if the file may not be used. Blocks. Raises AgentFileError.

    Mistakes in a file which may not be used are not reported either.
    """
    try:
        raw = read_regular_file(file, MAX_BYTES)
        if not vouches(file, raw):
            return None
        text = raw.decode("utf-8-sig")
        fields, body = parse_front_matter(text)
    except (OSError, UnicodeDecodeError, FrontMatterError) as error:
        raise AgentFileError(f"{file}: {error}") from error
    if isinstance(directory, PrefixedDirectory):
        fields, body = _without_allowances(fields), directory.expanded(body)
    if body.strip():
        fields["prompt"] = body.strip()
    return Written(name, fields, str(file), key_lines(text))


def _without_allowances(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields without permissions: only the user's own rules allow something to an agent of a bundle."""
    tools = fields.get("tools")
    if isinstance(tools, dict):
        denied = {name: is_on for name, is_on in cast("dict[str, Any]", tools).items() if is_on is False}
        fields = {**fields, "tools": denied}
    return {name: value for name, value in fields.items() if name != "permission"}
