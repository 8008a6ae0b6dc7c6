"""Changes of a worktree since its base: texts, and files and links that are no text."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from placet.core.errors import DocumentError, RequestError
from placet.core.executor import in_thread
from placet.core.regular_files import read_regular_file
from placet.core.values import replace
from placet.project.git.work import git_work, text_of
from placet.text.encoding import Decoded, decode
from placet.worktrees.present_tree import tree_of_worktree
from placet.worktrees.records import Worktree
from placet.worktrees.repository import tree_of

MOST_BYTES = 10 * 1024 * 1024
"""Size up to which a file that is no text comes back."""

_EXECUTABLE = "100755"
_FILES = ("100644", _EXECUTABLE)
_LINK = "120000"
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
    is_executable: bool | None = None
    """Whether a new file is executable, or another file by now; None for a file that is as executable as before."""
    brought: Decoded | None = None
    """Text when the changes were last brought back, under the present name; None for no such text."""


class Content(Struct, frozen=True):
    """Bytes of a file, or the target of a link."""

    data: bytes
    is_link: bool = False
    is_executable: bool = False


class ChangedContent(Struct, frozen=True):
    """File or link of a worktree that differs from the base and is no text on one side at least."""

    kind: Literal["create", "modify", "delete"]
    name: str
    base: Content | None
    """Content in the base, as git stores the content; None for a new file."""
    present: Content | None
    """Content in the worktree; None for a deleted file."""
    known: tuple[str, ...] = ()
    """Objects of git of the contents in the base and when the changes were last brought back."""


class Difference(Struct, frozen=True):
    tree: str
    """Tree of the present files."""
    texts: tuple[ChangedText, ...]
    contents: tuple[ChangedContent, ...]
    left_out: tuple[str, ...]
    """Changed files that are in neither, each with the reason."""


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
        if mode in (*_FILES, _LINK)
    }
    blobs = await _blobs(worktree.path, sorted(wanted))
    brought_blobs = {name: blobs[blob] for name, blob in brought.items() if blob in blobs}
    texts, others, left_out = await in_thread(_sorted, entries, blobs, brought_blobs)
    contents: list[ChangedContent] = []
    for entry in others:
        try:
            contents.append(await _changed_content(worktree.path, entry, blobs, brought.get(entry.name, "")))
        except RequestError as error:
            left_out.append(f"{entry.name} {error}")
    return Difference(tree, tuple(texts), tuple(contents), tuple(left_out))


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
        if mode in (*_FILES, _LINK):
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


def _sorted(
    entries: Sequence[_Entry], blobs: Mapping[str, bytes], brought: Mapping[str, bytes]
) -> tuple[list[ChangedText], list[_Entry], list[str]]:
    """Return the changed texts, the entries of files and links that are no text, and what is neither."""
    texts, others, left_out = list[ChangedText](), list[_Entry](), list[str]()
    for entry in entries:
        if not {entry.old_mode, entry.new_mode} <= {*_FILES, _LINK, _NOTHING}:
            left_out.append(f"{entry.new_name or entry.name} is a submodule")
            continue
        try:
            text = _changed_text(entry, blobs)
        except DocumentError:
            others += _without_rename(entry)
        else:
            texts.append(replace(text, brought=_decoded(brought.get(entry.new_name or entry.name))))
    return texts, others, left_out


def _without_rename(entry: _Entry) -> list[_Entry]:
    """Return the entry; a renaming is a deletion and a creation."""
    if entry.status != "R":
        return [entry]
    return [
        replace(entry, status="D", new_name="", new_mode=_NOTHING),
        replace(entry, status="A", name=entry.new_name, new_name="", old_mode=_NOTHING),
    ]


async def _changed_content(top: Path, entry: _Entry, blobs: Mapping[str, bytes], brought: str) -> ChangedContent:
    """Return the change. Raises RequestError with the reason why the change cannot come back."""
    base = _content(entry.old_mode, blobs.get(entry.old_blob, b""))
    present = _content(entry.new_mode, blobs.get(entry.new_blob, b""))
    if any(content is not None and len(content.data) > MOST_BYTES for content in (base, present)):
        raise RequestError(f"is larger than {MOST_BYTES // 1024 // 1024} MB")
    if present is not None and not present.is_link:
        # The file as filters of the user have written it: git may store another form.
        try:
            data = await in_thread(read_regular_file, top / entry.name, MOST_BYTES)
        except (OSError, ValueError) as error:
            raise RequestError(f"cannot be read: {error}") from error
        if await blob_of(top, entry.name, data) != entry.new_blob:
            raise RequestError("has changed meanwhile")
        present = replace(present, data=data)
    kind = "create" if base is None else "delete" if present is None else "modify"
    known = tuple(blob for blob in (entry.old_blob if base is not None else "", brought) if blob)
    return ChangedContent(kind, entry.name, base, present, known)


async def blob_of(top: Path, name: str, data: bytes) -> str:
    """Return the name of the object that git makes of the content. Raises RequestError."""
    return text_of(await git_work(top, "hash-object", "--stdin", f"--path={name}", text=data))


def _content(mode: str, data: bytes) -> Content | None:
    return None if mode == _NOTHING else Content(data, mode == _LINK, mode == _EXECUTABLE)


def _decoded(content: bytes | None) -> Decoded | None:
    try:
        return None if content is None else decode(content)
    except DocumentError:
        return None


def _changed_text(entry: _Entry, blobs: Mapping[str, bytes]) -> ChangedText:
    """Return the change of the text. Raises DocumentError for a link or a file that is no text."""
    if _LINK in (entry.old_mode, entry.new_mode):
        raise DocumentError(f"{entry.name} is a link.")
    base = None if entry.old_mode == _NOTHING else decode(blobs[entry.old_blob])
    present = None if entry.new_mode == _NOTHING else decode(blobs[entry.new_blob])
    is_executable = None if entry.old_mode == entry.new_mode else entry.new_mode == _EXECUTABLE
    match entry.status:
        case "A" | "C":
            return ChangedText("create", entry.new_name or entry.name, None, present, is_executable=is_executable)
        case "D":
            return ChangedText("delete", entry.name, base, None)
        case "R":
            return ChangedText("rename", entry.name, base, present, entry.new_name, is_executable)
        case _:
            return ChangedText("modify", entry.name, base, present, is_executable=is_executable)
