"""Folders opened by the user, as the client names the folders."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from placet.project.paths import from_uri

if TYPE_CHECKING:
    from lsprotocol.types import WorkspaceFoldersChangeEvent


def roots_of(initialize_params: Mapping[str, Any]) -> tuple[Path, ...]:
    """Return the roots in the client's order: the workspace folders, else `rootUri`, else `rootPath`; empty without
    any.

    Folders that are not on disk (another scheme than `file:`) are left out.
    """
    if folders := _paths(initialize_params.get("workspaceFolders")):
        return folders
    root_uri = initialize_params.get("rootUri")
    if isinstance(root_uri, str) and (path := from_uri(root_uri)) is not None:
        return (path,)
    root_path = initialize_params.get("rootPath")
    return (Path(root_path),) if isinstance(root_path, str) and root_path else ()


def with_changes(roots: tuple[Path, ...], event: "WorkspaceFoldersChangeEvent") -> tuple[Path, ...]:
    """Return the roots after a `workspace/didChangeWorkspaceFolders` event: removed roots gone, added roots behind the
    rest.
    """
    removed = set(_on_disk(folder.uri for folder in event.removed))
    added = _on_disk(folder.uri for folder in event.added)
    return _unique([*(root for root in roots if root not in removed), *added])


def _paths(folders: object) -> tuple[Path, ...]:
    if not isinstance(folders, list):
        return ()
    uris = (
        cast("dict[str, Any]", folder).get("uri") for folder in cast("list[Any]", folders) if isinstance(folder, dict)
    )
    return _on_disk(uri for uri in uris if isinstance(uri, str))


def _on_disk(uris: Iterable[str]) -> tuple[Path, ...]:
    return _unique(path for uri in uris if (path := from_uri(uri)) is not None)


def _unique(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(paths))
