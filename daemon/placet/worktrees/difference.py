"""Changes of a worktree since its base, as texts."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from placet.core.errors import DocumentError, RequestError
from placet.core.executor import in_thread
from placet.core.values import replace
from placet.project.git.work import git_work
from placet.text.encoding import Decoded, decode
from placet.worktrees.present_tree import tree_of_worktree
from placet.worktrees.records import Worktree
from placet.worktrees.repository import tree_of

_EXECUTABLE = "100755"
_FILES = ("100644", _EXECUTABLE)
_NOTHING = "000000"


class ChangedText(Struct, frozen=True):
    """Text of a worktree that differs from the base. The names are relative to the top, with `/`."""

    kind: Literal["create", "modify", "delete", "rename"]
    name: str
    base: Decoded | None
    """Text in the base; None for a new file."""
    present: Decoded | None
    """Text in the worktree; None for a deleted file."""
    new_name: str = ""
    """New name of a renamed file."""
    is_executable: bool = False
    """Whether a new file is executable."""
    brought: Decoded | None = None
    """Text when the changes were last brought back, under the present name; None for no such text."""


class Difference(Struct, frozen=True):
    tree: str
    """Tree of the present files."""
    texts: tuple[ChangedText, ...]
    left_out: tuple[str, ...]
    """Changed files that are no text, each with the reason."""


class _Entry(Struct, frozen=True):
    old_mode: str
    new_mode: str
    old_blob: str
    new_blob: str
    status: str
    name: str
    new_name: str


async def difference(worktree: Worktree) -> Difference:
    """Return the changes of the worktree's files since its base, committed or not. Raises RequestError."""
    tree = await tree_of_worktree(worktree)
    base = await tree_of(worktree.repository, worktree.base)
    raw = await git_work(worktree.path, "diff-tree", "-r", "-z", "-M", "--raw", "--no-abbrev", base, tree)
    entries = list(_without_swaps(list(_entries(raw))))
    brought = await _blobs_of_tree(worktree) if worktree.brought else {}
    wanted = {brought[name] for entry in entries if (name := entry.new_name or entry.name) in brought}
    wanted |= {
        blob
        for entry in entries
        for mode, blob in ((entry.old_mode, entry.old_blob), (entry.new_mode, entry.new_blob))
        if mode in _FILES
    }
    blobs = await _blobs(worktree.path, sorted(wanted))
    brought_blobs = {name: blobs[blob] for name, blob in brought.items() if blob in blobs}
    return await in_thread(lambda: _difference(tree, entries, blobs, brought_blobs))


def _entries(raw: bytes) -> Iterator[_Entry]:
    """Yield the entries of git-diff-tree(1) in the raw format with `-z`."""
    fields = iter(raw.split(b"\0")[:-1])
    for head in fields:
        old_mode, new_mode, old_blob, new_blob, status = head.decode("ascii").removeprefix(":").split(" ")
        name = os.fsdecode(next(fields))
        new_name = os.fsdecode(next(fields)) if status[0] in "RC" else ""
        yield _Entry(old_mode, new_mode, old_blob, new_blob, status[0], name, new_name)


def _without_swaps(entries: Sequence[_Entry]) -> Iterator[_Entry]:
    """Yield the entries; a renaming to a name that another file leaves is a deletion and a creation."""
    left = {entry.name for entry in entries if entry.status in "DR"}
    for entry in entries:
        if entry.status == "R" and entry.new_name in left:
            yield replace(entry, status="D", new_name="", new_mode=_NOTHING)
            yield replace(entry, status="A", name=entry.new_name, new_name="", old_mode=_NOTHING)
        else:
            yield entry


async def _blobs_of_tree(worktree: Worktree) -> dict[str, str]:
    """Return the blobs of the files that were last brought back, by name; none if git has removed the tree."""
    try:
        output = await git_work(worktree.path, "ls-tree", "-r", "-z", "--full-tree", worktree.brought)
    except RequestError:
        return {}
    blobs: dict[str, str] = {}
    for entry in output.split(b"\0")[:-1]:
        head, _, name = entry.partition(b"\t")
        mode, _, blob = head.decode("ascii").split(" ")
        if mode in _FILES:
            blobs[os.fsdecode(name)] = blob
    return blobs


async def _blobs(top: Path, names: Sequence[str]) -> dict[str, bytes]:
    """Return the contents of the blobs. Raises RequestError."""
    if not names:
        return {}
    output = await git_work(top, "cat-file", "--batch", text="".join(f"{name}\n" for name in names).encode())
    blobs: dict[str, bytes] = {}
    place = 0
    while place < len(output):
        end = output.index(b"\n", place)
        name, _, size = output[place:end].split(b" ")
        blobs[name.decode("ascii")] = output[end + 1 : end + 1 + int(size)]
        place = end + 1 + int(size) + 1
    return blobs


def _difference(
    tree: str, entries: Sequence[_Entry], blobs: Mapping[str, bytes], brought: Mapping[str, bytes]
) -> Difference:
    texts, left_out = list[ChangedText](), list[str]()
    for entry in entries:
        try:
            text, reason = _changed_text(entry, blobs)
        except DocumentError:
            text, reason = None, "is no text"
        if text is not None:
            texts.append(replace(text, brought=_decoded(brought.get(entry.new_name or entry.name))))
        if reason:
            left_out.append(f"{entry.new_name or entry.name} {reason}")
    return Difference(tree, tuple(texts), tuple(left_out))


def _decoded(content: bytes | None) -> Decoded | None:
    try:
        return None if content is None else decode(content)
    except DocumentError:
        return None


def _changed_text(entry: _Entry, blobs: Mapping[str, bytes]) -> tuple[ChangedText | None, str]:
    """Return the change of the text, and the part of the change that is no change of a text. Raises DocumentError."""
    if not {entry.old_mode, entry.new_mode} <= {*_FILES, _NOTHING}:
        return None, "is a link or a submodule"
    base = None if entry.old_mode == _NOTHING else decode(blobs[entry.old_blob])
    present = None if entry.new_mode == _NOTHING else decode(blobs[entry.new_blob])
    reason = "" if base is None or present is None or entry.old_mode == entry.new_mode else "has other permissions"
    is_executable = entry.new_mode == _EXECUTABLE
    match entry.status:
        case "A" | "C":
            return ChangedText("create", entry.new_name or entry.name, None, present, is_executable=is_executable), ""
        case "D":
            return ChangedText("delete", entry.name, base, None), ""
        case "R":
            return ChangedText("rename", entry.name, base, present, entry.new_name), reason
        case _ if entry.old_blob == entry.new_blob:
            return None, reason
        case _:
            return ChangedText("modify", entry.name, base, present), reason
