"""Files a prompt points at, put beside it as the model will read them."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from placet.edits.lines import split_lines, to_lf
from placet.errors import DocumentError
from placet.messages import FilePart, Part, TextPart
from placet.ports import Document
from placet.project.paths import Workspace, from_uri

Read = Callable[[Path], Awaitable[Document]]


async def attach_files(parts: Sequence[Part], workspace: Workspace, read: Read) -> tuple[Part, ...]:
    """The parts, each text file among them followed by its text as it is on screen; a file that cannot be read says so.

    What the user points at needs no permission to be read.
    """
    attached: list[Part] = []
    for part in parts:
        attached.append(part)
        if isinstance(part, FilePart) and part.mime.startswith("text/") and (path := from_uri(part.uri)) is not None:
            attached.append(TextPart(text=await _text(part, path, workspace, read), synthetic=True))
    return tuple(attached)


_STEERING = (
    "<system-reminder>\nThe user sent this while you were at work. Address it, and go on with your work, "
    "unless it tells you otherwise.\n</system-reminder>"
)


def as_steering(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts of a message that reaches the model in the middle of its work, and that it is told so."""
    return (*parts, TextPart(text=_STEERING, synthetic=True))


async def _text(part: FilePart, path: Path, workspace: Workspace, read: Read) -> str:
    name = workspace.relative(path)
    try:
        document = await read(path)
    except DocumentError as error:
        return f"The user attached {name}, but it cannot be read: {error}"
    lines = split_lines(to_lf(document.text))
    first, last = (part.range.start, part.range.end) if part.range else (1, len(lines))
    shown = "".join(f"{number}: {line}" for number, line in enumerate(lines, start=1) if first <= number <= last)
    which = f"lines {first} to {min(last, len(lines))} of {name}" if part.range else name
    unsaved = ", with changes that are not saved" if document.dirty else ""
    return f"The user attached {which}{unsaved}:\n<content>\n{shown.rstrip()}\n</content>"
