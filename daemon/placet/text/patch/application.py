"""Application of a patch's sections to texts in memory: every section sees the result of earlier sections, or nothing
is done.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from placet.core.errors import EditError
from placet.core.ports import FileEditKind
from placet.text.indentation import has_own_indentation, pair_indents, reindent
from placet.text.patch.grammar import NO_NEWLINE, AddFile, Chunk, DeleteFile, PatchSection, UpdateFile
from placet.text.patch.placement import placed


@dataclass(frozen=True, slots=True)
class PatchedFile:
    """Result of all sections for one file; maps onto a PlannedFile."""

    kind: FileEditKind
    path: str
    old_text: str | None
    """Text before; None for a create."""
    new_text: str | None
    """Text after; None for a delete, and for a rename without changes inside."""
    new_path: str | None = None
    """Destination of a rename."""


@dataclass(slots=True)
class _Held:
    """Text after the sections so far, and the path of origin (None: created by the sections)."""

    origin: str | None
    text: str


def apply_sections(sections: Sequence[PatchSection], texts: Mapping[str, str]) -> tuple[PatchedFile, ...]:
    """Return the files changed by the sections, in the order of first touch; the rest of `texts` is left out.

    `texts` holds the LF text of every existing file among `patch_paths(sections)`, by the path as written in the patch.
    Raises EditError, before anything is returned, when a section does not fit or the patch changes nothing.
    """
    held = {path: _Held(path, text) for path, text in texts.items()}
    for section in sections:
        match section:
            case AddFile():
                _refuse_existing(section.path, held)
                held[section.path] = _Held(None, section.text)
            case DeleteFile():
                _taken(section.path, held)
            case UpdateFile():
                file = _taken(section.path, held)
                file.text = _updated(section.path, file.text, section.chunks)
                target = section.move_to or section.path
                _refuse_existing(target, held)
                held[target] = file
            case _:
                assert_never(section)
    files = _outcome(sections, texts, held)
    if not files:
        raise EditError("The patch changes nothing: every line it writes is already there.")
    return files


def _taken(path: str, held: dict[str, _Held]) -> _Held:
    if path not in held:
        raise EditError(f"{path} does not exist, so it cannot be updated or deleted. Nothing was changed.")
    return held.pop(path)


def _refuse_existing(path: str, held: Mapping[str, _Held]) -> None:
    if path in held:
        raise EditError(
            f"{path} exists already. Use *** Update File to change it, or *** Delete File before adding it anew. "
            "Nothing was changed."
        )


def _outcome(
    sections: Sequence[PatchSection], texts: Mapping[str, str], held: Mapping[str, _Held]
) -> tuple[PatchedFile, ...]:
    now_at = {file.origin: path for path, file in held.items() if file.origin is not None}
    files: list[PatchedFile] = []
    for path in dict.fromkeys(_touched(sections)):
        old_text, here = texts.get(path), held.get(path)
        target = now_at.get(path, path)
        if old_text is not None and target != path:
            text = held[target].text
            files.append(PatchedFile("rename", path, old_text, None if text == old_text else text, target))
        elif old_text is not None and (here is None or here.origin not in (None, path)):
            files.append(PatchedFile("delete", path, old_text, None))
        elif old_text is not None and here is not None and here.text != old_text:
            files.append(PatchedFile("modify", path, old_text, here.text))
        if here is not None and here.origin is None and (old_text is None or target != path):
            files.append(PatchedFile("create", path, None, here.text))
    return tuple(files)


def _touched(sections: Sequence[PatchSection]) -> list[str]:
    paths: list[str] = []
    for section in sections:
        paths.append(section.path)
        if isinstance(section, UpdateFile) and section.move_to is not None:
            paths.append(section.move_to)
    return paths


def _updated(path: str, text: str, chunks: Sequence[Chunk]) -> str:
    """Return the text after all chunks. The end of the last line stays as it is, unless the patch says otherwise."""
    lines = text.split("\n")
    ends_with_newline = not lines[-1]
    if ends_with_newline:
        lines.pop()
    result: list[str] = []
    cursor = 0
    for chunk, place in zip(chunks, placed(path, lines, chunks), strict=True):
        new_lines = _new_lines(lines[place.start : place.start + place.size], place.marked)
        result += lines[cursor : place.start] + new_lines
        cursor = place.start + place.size
        if chunk.ends_with_newline is not None:
            if cursor < len(lines):
                raise EditError(
                    f"{path}: the hunk at line {chunk.patch_line} of the patch says `{NO_NEWLINE}`, but its lines do "
                    "not stand at the end of the file. Nothing was changed."
                )
            ends_with_newline = chunk.ends_with_newline
    result += lines[cursor:]
    return "\n".join(result) + ("\n" if ends_with_newline and result else "")


def _new_lines(own: Sequence[str], marked: Sequence[tuple[str, str]]) -> list[str]:
    """Return the new lines: kept lines are the file's own; added lines adopt the file's indentation."""
    quoted = [line for mark, line in marked if mark != "+"]
    indents = pair_indents(quoted, own)
    if has_own_indentation([line for mark, line in marked if mark != "-"], indents):
        indents = ()
    at = iter(own)
    result: list[str] = []
    for mark, line in marked:
        if mark == "+":
            result.append(reindent(line, indents) if indents else line)
        elif mark == " ":
            result.append(next(at))
        else:
            next(at)
    return result
