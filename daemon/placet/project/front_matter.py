"""YAML front matter of a Markdown file: the fields between two lines of `---` at its start, and the text behind."""

import json
import re
from collections.abc import Callable
from typing import Any, TypeVar

from placet.text.lines import to_lf

_T = TypeVar("_T")

DEEPEST = 4
"""Depth of nested keys up to which `key_lines` gives the lines."""

_PLAIN_FIELD = re.compile(
    r"^(?P<name>[\w-]+:[ \t]+)(?P<value>[^\s\"'\[{|>&*!#][^\n]*: [^\n]*?|\*[*./{?][^\n]*?)[ \t]*$", re.MULTILINE
)
"""Field at the beginning of a line with a plain text that has a colon, or with a pattern for files such as `*.ts`."""


class FrontMatterError(Exception):
    """The front matter cannot be read; the text says why."""


def parse_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Return (fields, body); the fields are empty without front matter. Raises FrontMatterError."""
    import yaml  # Only files with front matter need the module, and few sessions meet such a file.

    head, body = _parted(text)
    try:
        fields = _read(head, yaml.safe_load)
    except yaml.YAMLError as error:
        raise FrontMatterError(_complaint(error)) from error
    except RecursionError:
        raise FrontMatterError("its front matter is nested too deeply") from None
    if fields is None:
        return {}, body
    if not isinstance(fields, dict):
        raise FrontMatterError("its front matter is not a list of fields")
    return {str(name): value for name, value in fields.items()}, body


def key_lines(text: str) -> dict[tuple[str, ...], int]:
    """Return the 1-based line in the whole text of every key of the front matter, by the keys on the way to the key.

    parse_front_matter must have read the text before.
    """
    import yaml

    lines: dict[tuple[str, ...], int] = {}

    def note(node: Any, path: tuple[str, ...]) -> None:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                below = (*path, str(key.value))
                lines[below] = key.start_mark.line + 1
                if len(below) < DEEPEST:  # An anchor may hold itself.
                    note(value, below)

    def compose(head: str) -> Any:
        return yaml.compose(head, yaml.SafeLoader)

    note(_read(_parted(text)[0], compose), ())
    return lines


def _read(head: str, read: Callable[[str], _T]) -> _T:
    """Read the front matter; if it is no YAML, with quotes around values such as `Use it so: now`.

    Programs that read such files often take everything behind the first colon for the value, so users leave out the
    quotes. The lines stay the same. Raises YAMLError and RecursionError.
    """
    import yaml

    try:
        return read(head)
    except yaml.YAMLError:
        return read(_PLAIN_FIELD.sub(_quoted, head))


def _quoted(field: re.Match[str]) -> str:
    return f"{field['name']}{json.dumps(field['value'], ensure_ascii=False)}"


def _parted(text: str) -> tuple[str, str]:
    """Return (front matter, body), with line feeds; the front matter begins at the end of the first line.

    Raises FrontMatterError if the front matter has no end.
    """
    text = to_lf(text)
    if not text.startswith("---\n"):
        return "", text
    head, fence, body = f"{text}\n".removeprefix("---").partition("\n---\n")
    if not fence:
        raise FrontMatterError("its front matter has no end: a line of `---` is missing")
    return head, body.removesuffix("\n")


def _complaint(error: Exception) -> str:
    """Return YAML's complaint about the front matter, with the line in the file."""
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    if mark is None or not problem:
        return f"its front matter is not YAML: {' '.join(str(error).split())}"
    return f"line {mark.line + 1}: its front matter is not YAML: {problem}"
