"""Agents in Markdown files: the front matter holds the settings, the text below the front matter is the prompt."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from placet.core.regular_files import read_regular_file
from placet.project.front_matter import FrontMatterError, key_lines, parse_front_matter

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


def find_agent_files(directory: Path) -> list[tuple[str, Path]]:
    """Return the name and the file of every agent below the directory, in the order of the names. Blocks.

    The name is the path below the directory without the suffix, as in OpenCode.
    """
    named_files = (
        (file.relative_to(directory).with_suffix("").as_posix(), file) for file in _markdown_files(directory)
    )
    return sorted(named_files)


def read_agent_file(name: str, file: Path, vouches: Vouches) -> Written | None:
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
    if body.strip():
        fields["prompt"] = body.strip()
    return Written(name, fields, str(file), key_lines(text))


def _markdown_files(directory: Path) -> Iterator[Path]:
    return (file for file in directory.rglob("*.md") if file.is_file())
