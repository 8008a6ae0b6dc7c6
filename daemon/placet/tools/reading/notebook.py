"""Jupyter notebooks as cells: sources in full, outputs bounded. Pure."""

import re
from collections.abc import Iterator
from typing import Any, cast

from placet.core.json.shallow import loads

OUTPUT_LINES = 20
OUTPUT_CHARACTERS = 2000

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

Json = dict[str, Any]


def notebook_text(text: str) -> str | None:
    """Return the notebook's cells, numbered from 1, as text; None for a text that is no notebook of format 4.

    Each output is shown up to OUTPUT_LINES lines and OUTPUT_CHARACTERS characters, an error by its last lines, and an
    image only by name. (nbformat.readthedocs.io, "The Notebook file format")
    """
    try:
        notebook = loads(text)
    except ValueError:
        return None
    cells = _object(notebook).get("cells")
    if not isinstance(cells, list):
        return None
    language = _object(_object(_object(notebook).get("metadata")).get("kernelspec")).get("language")
    shown = [f"Notebook of {len(cells)} cells" + (f", {language}" if isinstance(language, str) else "")]
    shown += [_cell(number, _object(cell)) for number, cell in enumerate(cells, start=1)]
    return "\n\n".join(shown)


def _cell(number: int, cell: Json) -> str:
    kind, name, count = cell.get("cell_type"), cell.get("id"), cell.get("execution_count")
    head = f'<cell number="{number}" type="{kind}"'
    head += f' id="{name}"' if isinstance(name, str) else ""
    head += f' execution="{count}"' if isinstance(count, int) else ""
    lines = [f"{head}>", _joined(cell.get("source")).rstrip("\n"), "</cell>"]
    outputs = cell.get("outputs")
    for output in cast("list[Any]", outputs) if isinstance(outputs, list) else []:
        lines += _output(_object(output))
    return "\n".join(lines)


def _output(output: Json) -> Iterator[str]:
    match output.get("output_type"):
        case "stream":
            yield from _fenced(str(output.get("name", "stdout")), _bounded(_joined(output.get("text"))))
        case "error":
            traceback = _joined(output.get("traceback"), "\n") or f"{output.get('ename')}: {output.get('evalue')}"
            yield from _fenced("error", _bounded(traceback, keep_end=True))
        case "display_data" | "execute_result":
            yield from _data(_object(output.get("data")))
        case _:
            return


def _data(data: Json) -> Iterator[str]:
    """Yield the plainest textual form of an output, and the names of the other forms."""
    plain = next((form for form in ("text/plain", "text/markdown", "text/html") if form in data), None)
    others = [f"{form}, {len(_joined(value))} characters" for form, value in data.items() if "image/" in form]
    if plain is not None:
        yield from _fenced(plain, _bounded(_joined(data[plain])))
    if others:
        yield f"(Not shown: {'; '.join(others)})"


def _fenced(name: str, text: str) -> tuple[str, str, str]:
    return (f'<output type="{name}">', text, "</output>")


def _bounded(text: str, *, keep_end: bool = False) -> str:
    text = _ANSI.sub("", text).rstrip("\n")
    lines = text.split("\n")
    part = "\n".join(lines[-OUTPUT_LINES:] if keep_end else lines[:OUTPUT_LINES])
    part = part[-OUTPUT_CHARACTERS:] if keep_end else part[:OUTPUT_CHARACTERS]
    if len(part) == len(text):
        return part
    note = f"... ({len(lines)} lines, {len(text)} characters in all) ..."
    return f"{note}\n{part}" if keep_end else f"{part}\n{note}"


def _object(value: Any) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}


def _joined(value: Any, separator: str = "") -> str:
    """Return a text of the format: a string, or a list of strings."""
    if isinstance(value, list):
        return separator.join(map(str, cast("list[Any]", value)))
    return value if isinstance(value, str) else ""
