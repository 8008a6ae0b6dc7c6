"""Files that a session sees otherwise than on the disk, such as proposed and unsaved texts, for a tree of git."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from placet.core.errors import RequestError
from placet.core.executor import in_thread
from placet.project.git.query import git_ignored
from placet.project.git.repository import git_directory_of_top
from placet.project.git.work import git_work, text_of
from placet.project.paths import real

_PLAIN = "100644"
_EXECUTABLE = "100755"
_LINK = "120000"
_OTHER_REPOSITORY = "160000"
_ANY_RUN = 0o111


class UnwrittenFile(Struct, frozen=True):
    """File as a session sees the file, by the real path."""

    path: Path
    data: bytes | None
    """Content; None where the session sees no file."""
    mode: int | None = None
    """Permission bits of a file that is not in the tree yet; None for the bits of any new file."""
    is_link: bool = False
    """True for a symbolic link, whose target is the content."""
    sets_mode: bool = False
    """True if the session sees a file in the tree with the permission bits `mode`."""


async def lay_into_index(top: Path, files: Sequence[UnwrittenFile], variables: Mapping[str, str]) -> None:
    """Put the files that lie in the tree at `top` into the index that `variables` name. Raises RequestError.

    Ignored files stay out of the index unless the index has the file, and so do files of other repositories inside.
    """
    modes = await _modes(top, variables)
    others = {Path(name) for name, mode in modes.items() if mode == _OTHER_REPOSITORY}
    root = await in_thread(real, top)
    inside = {file.path.relative_to(root): file for file in files if file.path.is_relative_to(root)}
    by_name = {
        name.as_posix(): file
        for name, file in inside.items()
        if not _is_git_directory(name) and others.isdisjoint((name, *name.parents))
    }
    new = [os.fsencode(name) for name, file in by_name.items() if file.data is not None and name not in modes]
    ignored = await git_ignored(await in_thread(git_directory_of_top, top), top, new) if new else frozenset[bytes]()
    if ignored is None:
        raise RequestError(f"git cannot say which files are ignored in {top}.")
    # Removed names come first: a new file can lie in the place of a removed directory, or the reverse.
    removed = [name for name, file in by_name.items() if file.data is None and name in modes]
    lines = [f"0 {'0' * 40}\t".encode() + os.fsencode(name) for name in removed]
    for name, file in by_name.items():
        if file.data is not None and os.fsencode(name) not in ignored:
            how = "--no-filters" if file.is_link else f"--path={name}"
            written = await git_work(top, "hash-object", "-w", "--stdin", how, text=file.data)
            mode = _mode(file, modes.get(name, ""))
            lines.append(f"{mode} {text_of(written)}\t".encode() + os.fsencode(name))
    if lines:
        await git_work(top, "update-index", "-z", "--index-info", text=b"\0".join((*lines, b"")), variables=variables)


def _mode(file: UnwrittenFile, present: str) -> str:
    """Return the mode for the index, where the file has the `present` mode or is not yet."""
    if file.is_link:
        return _LINK
    if present in (_PLAIN, _EXECUTABLE) and not file.sets_mode:
        return present
    return _EXECUTABLE if (file.mode or 0) & _ANY_RUN else _PLAIN


async def _modes(top: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the modes of the files in the index, by name. Raises RequestError."""
    listed = await git_work(top, "ls-files", "--stage", "-z", variables=variables)
    entries = (entry.partition(b"\t") for entry in listed.split(b"\0")[:-1])
    return {os.fsdecode(name): head[: len(_PLAIN)].decode("ascii") for head, _, name in entries}


def _is_git_directory(name: Path) -> bool:
    return any(part.casefold() == ".git" for part in name.parts)
