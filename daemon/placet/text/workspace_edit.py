"""LSP's WorkspaceEdit as a plan: the edit of a language server becomes a proposal like any other. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from placet.core.errors import EditError
from placet.text.buffer import Buffer
from placet.text.lines import to_lf
from placet.text.plan import PlannedFile
from placet.text.positions import Position

Json = dict[str, Any]


def touched_uris(edit: Json) -> list[str]:
    """Return the documents that the edit reads, changes or creates, in order."""
    uris: dict[str, None] = {}
    for operation in _operations(edit):
        for key in ("uri", "oldUri", "newUri"):
            if isinstance(operation.get(key), str):
                uris[operation[key]] = None
        if "textDocument" in operation:
            uris[operation["textDocument"]["uri"]] = None
    return list(uris)


def versions_of(edit: Json) -> dict[str, int]:
    """Return the versions of documents for which the edit was made, if given."""
    documents = (operation["textDocument"] for operation in _operations(edit) if "textDocument" in operation)
    return {document["uri"]: document["version"] for document in documents if isinstance(document.get("version"), int)}


def planned_files(
    edit: Json, texts: Mapping[str, str], path_of: Callable[[str], Path | None]
) -> tuple[PlannedFile, ...]:
    """Return the changes of the edit, file by file. `texts` (LF) holds the existing files by URI; `path_of` returns
    their paths.

    Positions are in UTF-16. Raises EditError for an edit that cannot be done as a whole: overlapping edits, text edits
    of a missing document, snippets, creation of an existing file.
    """
    files: dict[str, _File] = {uri: _File(uri, text) for uri, text in texts.items()}
    for operation in _operations(edit):
        match operation.get("kind"):
            case "create":
                _create(files, operation)
            case "rename":
                _rename(files, operation)
            case "delete":
                _file(files, operation["uri"]).text = None
            case None:
                uri = operation["textDocument"]["uri"]
                file = _file(files, uri)
                file.text = applied(file.text or "", cast("list[Json]", operation["edits"]))
            case kind:
                raise EditError(f"The language server wants a change of kind `{kind}`, which is not known.")
    planned = [_planned(file, path_of) for file in files.values()]
    return tuple(file for file in planned if file is not None)


def applied(text: str, edits: Sequence[Json]) -> str:
    """Return the text (LF) with TextEdits of LSP 3.17 applied, which all refer to the original text. Raises
    EditError.
    """
    buffer = Buffer(text)
    spans: list[tuple[int, int, int, str]] = []
    for number, edit in enumerate(edits):
        if "newText" not in edit:
            raise EditError("The language server's edit is a snippet, which only an editor can fill in.")
        start, end = (
            buffer.offset_at(Position(at["line"], at["character"]), "utf-16")
            for at in (edit["range"]["start"], edit["range"]["end"])
        )
        spans.append((start, end, number, to_lf(str(edit["newText"]))))
    spans.sort()
    pieces: list[str] = []
    position = 0
    for start, end, _, new in spans:
        if start < position or end < start:
            raise EditError("The language server's edits overlap, so that what they mean is not certain.")
        pieces += [text[position:start], new]
        position = end
    return "".join((*pieces, text[position:]))


@dataclass(slots=True)
class _File:
    """A file on its way through the operations."""

    uri: str
    text: str | None
    """Current text; None once the file is deleted."""
    old_uri: str | None = None
    """Old URI of a renamed file."""
    base: str | None = field(init=False)
    """Text before; None for a file to be created."""

    def __post_init__(self) -> None:
        self.base = self.text


def _operations(edit: Json) -> list[Json]:
    """Return `documentChanges`, which take precedence if both are given (LSP 3.17), otherwise `changes` in the same
    form.
    """
    if isinstance(edit.get("documentChanges"), list):
        return cast("list[Json]", edit["documentChanges"])
    changes = cast("dict[str, Any]", edit.get("changes") or {})
    return [{"textDocument": {"uri": uri}, "edits": edits} for uri, edits in changes.items()]


def _file(files: dict[str, _File], uri: str) -> _File:
    if uri not in files or files[uri].text is None:
        raise EditError(f"The language server wants to change {uri}, which is not there.")
    return files[uri]


def _create(files: dict[str, _File], operation: Json) -> None:
    uri, options = operation["uri"], cast("Json", operation.get("options") or {})
    if uri in files and files[uri].text is not None:
        if options.get("ignoreIfExists") and not options.get("overwrite"):
            return
        raise EditError(f"The language server wants to create {uri}, which exists.")
    file = files[uri] = _File(uri, "")
    file.base = None


def _rename(files: dict[str, _File], operation: Json) -> None:
    file = _file(files, operation["oldUri"])
    new_uri = operation["newUri"]
    if new_uri in files and files[new_uri].text is not None:
        raise EditError(f"The language server wants to rename to {new_uri}, which exists.")
    del files[file.uri]
    file.old_uri = file.old_uri or file.uri
    file.uri = new_uri
    files[new_uri] = file


def _planned(file: _File, path_of: Callable[[str], Path | None]) -> PlannedFile | None:
    path = path_of(file.old_uri or file.uri)
    if path is None:
        raise EditError(f"The language server wants to change {file.uri}, which is no file.")
    if file.text is None:
        return None if file.base is None else PlannedFile("delete", path, file.base, None)
    if file.base is None:
        return PlannedFile("create", path, None, file.text)
    if file.old_uri is not None:
        new_text = None if file.text == file.base else file.text
        return PlannedFile("rename", path, file.base, new_text, new_path=path_of(file.uri))
    return None if file.text == file.base else PlannedFile("modify", path, file.base, file.text)
