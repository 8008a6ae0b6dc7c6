"""Contents of clean files from git: for a project too large to keep contents here."""

import asyncio
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from placet.project.git.query import git


@dataclass(frozen=True, slots=True)
class CleanFiles:
    """Blobs of the files under a root with the same content in the index and on disk, by absolute path."""

    root: Path
    blobs: dict[str, str]

    async def content(self, path: str, size: int) -> bytes | None:
        """Return the file's bytes, or None if git has the file in another form than the disk (line ends,
        filters, LFS).
        """
        if (blob := self.blobs.get(path)) is None:
            return None
        data = await git(self.root, "cat-file", "blob", blob)
        return data if data is not None and len(data) == size else None


async def clean_files(root: Path, paths: Collection[str]) -> CleanFiles:
    """Return the wanted files known to git; empty without git or a repository."""
    listed, changed = await asyncio.gather(
        git(root, "ls-files", "-s", "-v", "-z"),
        git(root, "diff-files", "--name-only", "--relative", "--ignore-submodules=dirty", "-z"),
    )
    if listed is None or changed is None:
        return CleanFiles(root, {})
    dirty = set(changed.split(b"\0"))
    blobs: dict[str, str] = {}
    for entry in listed.split(b"\0"):
        head, _, name = entry.partition(b"\t")
        # H: cached, and not told to look away; stage 0: no conflict (git-ls-files(1)).
        match head.split():
            case [b"H", _, blob, b"0"] if name not in dirty and (path := _absolute(root, name)) in paths:
                blobs[path] = blob.decode("ascii")
            case _:
                pass
    return CleanFiles(root, blobs)


def _absolute(root: Path, name: bytes) -> str:
    return os.path.join(root, os.fsdecode(name))  # noqa: PTH118
