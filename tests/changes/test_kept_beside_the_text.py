"""EDITS.md rules 5, 10 and 19: what a file has beside its text, and what becomes of it."""

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from changes_support.answers import answering
from changes_support.desk import Desk, create, plan
from corpus_support import corpus
from fake_editor.memory import MemoryPeer
from fake_editor.profiles import HELIX, KATE, PLAIN, VSCODE, EditorProfile
from placet.core.errors import DocumentError
from placet.frontends.lsp.ports.documents import LspDocuments
from placet.project.files.line_endings import editorconfig_ending
from placet.settings import Settings
from placet.text.lines import to_lf
from placet.text.plan import PlannedFile

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, attributes and pipes are POSIX's")


# Version 2 of the kernel's form: a tag, permissions and an id for each entry (acl(5)); user 1234 may read.
ACCESS_LIST = struct.pack("<I", 2) + b"".join(
    struct.pack("<HHi", tag, permissions, who)
    for tag, permissions, who in ((1, 6, -1), (2, 4, 1234), (4, 4, -1), (16, 6, -1), (32, 0, -1))
)


def has_attributes(path: Path) -> bool:
    if not hasattr(os, "setxattr"):
        return False
    try:
        os.setxattr(path, "user.placet", b"kept")
    except OSError:
        return False
    return True


@pytest.mark.parametrize("kind", ["modify", "rename"])
async def test_extended_attributes_and_mode_outlive_a_change_and_its_undo(desk: Desk, kind: str) -> None:
    path = desk.write("a.txt", "old\n")
    path.chmod(0o640)
    if not has_attributes(path):
        pytest.skip("this file system has no extended attributes")
    to = desk.path("b.txt") if kind == "rename" else None
    await desk.plan("a.txt", "new\n")
    await desk.changes.propose(plan(PlannedFile(kind, path, "old\n", "new\n", to)))  # type: ignore[arg-type]
    now = to or path
    assert (os.getxattr(now, "user.placet"), now.stat().st_mode & 0o777) == (b"kept", 0o640)
    await desk.undo()
    assert (os.getxattr(path, "user.placet"), path.read_text()) == (b"kept", "old\n")


async def test_an_access_list_is_kept_and_the_directorys_is_not_added(desk: Desk) -> None:
    path, plain = desk.write("a.txt", "old\n"), desk.write("plain.txt", "old\n")
    try:
        os.setxattr(path, "system.posix_acl_access", ACCESS_LIST)
        os.setxattr(desk.root, "system.posix_acl_default", ACCESS_LIST)
    except (AttributeError, OSError):
        pytest.skip("this file system has no access lists")
    mode = plain.stat().st_mode
    for one in (path, plain):
        await desk.edit(one.name, "new\n")
    assert os.getxattr(path, "system.posix_acl_access") == ACCESS_LIST
    assert "system.posix_acl_access" not in os.listxattr(plain)
    assert plain.stat().st_mode == mode


async def test_the_question_says_that_a_hard_link_is_cut(desk: Desk) -> None:
    path, other = desk.write("a.txt", "old\n"), desk.path("other.txt")
    other.hardlink_to(path)
    await desk.edit("a.txt", "new\n")
    (request,) = desk.approver.requests
    assert "hard links" in request.title
    assert "keep the old text" in request.title
    assert (path.read_text(), other.read_text()) == ("new\n", "old\n")


async def test_of_an_open_document_it_is_said_that_its_other_names_may_change_too(desk: Desk) -> None:
    path = desk.write("a.txt", "old\n")
    desk.path("other.txt").hardlink_to(path)
    desk.editor.open_buffer(path)
    await desk.edit("a.txt", "new\n")
    assert "may change too" in desk.approver.requests[0].title


async def test_a_file_with_one_name_is_asked_about_as_ever(desk: Desk) -> None:
    desk.write("a.txt", "old\n")
    await desk.edit("a.txt", "new\n")
    assert [request.title for request in desk.approver.requests] == ["Edit a.txt"]


async def test_what_the_question_says_of_a_closed_file_holds_with_an_editor_too(tmp_path: Path) -> None:
    peer = MemoryPeer(VSCODE, tmp_path)
    desk = Desk(tmp_path, editor=LspDocuments(peer, peer.buffers, Settings()))  # type: ignore[arg-type]
    path, other = desk.write("a.txt", "old\n"), desk.path("other.txt")
    other.hardlink_to(path)
    await desk.edit("a.txt", "new\n")
    assert "keep the old text" in desk.approver.requests[0].title
    assert (path.read_text(), other.read_text()) == ("new\n", "old\n")
    assert not peer.editor.buffers
    await desk.database.close()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("is_open", [False, True])
async def test_a_named_pipe_is_refused_and_nobody_waits_for_its_other_end(tmp_path: Path, is_open: bool) -> None:
    peer = MemoryPeer(VSCODE, tmp_path)
    desk = Desk(tmp_path, editor=LspDocuments(peer, peer.buffers, Settings()))  # type: ignore[arg-type]
    path = desk.write("a.txt", "old\n")
    await desk.changes.read(path)
    if is_open:
        peer.editor.open(path)
    path.unlink()
    os.mkfifo(path)
    for kind, text in (("modify", "new\n"), ("delete", None)):
        with pytest.raises(DocumentError, match="not a regular file"):
            await desk.changes.propose(plan(PlannedFile(kind, path, "old\n", text)))  # type: ignore[arg-type]
    await desk.database.close()


@pytest.mark.timeout(60)
async def test_a_file_that_becomes_a_pipe_while_the_user_is_asked_is_no_trap(desk: Desk) -> None:
    path = desk.write("a.txt", "old\n")
    planned = await desk.plan("a.txt", "new\n")

    def swap() -> None:
        path.unlink()
        os.mkfifo(path)

    desk.approver.meanwhile = swap
    with pytest.raises(DocumentError, match="not a regular file"):
        await desk.changes.propose(plan(planned))


# ---------------------------------------------------------------- line endings

MIXED = "one\r\ntwo\nthree\r\r\nfour\rfive\r\nsix"


@corpus("is_open", [False, True])
@corpus("profile", [VSCODE, HELIX, KATE, PLAIN])
async def test_an_edit_changes_no_line_ending_in_any_editor_and_neither_does_its_undo(
    tmp_path: Path, profile: EditorProfile, is_open: bool
) -> None:
    peer = MemoryPeer(profile, tmp_path)
    desk = Desk(tmp_path, editor=LspDocuments(peer, peer.buffers, Settings()))  # type: ignore[arg-type]
    path = desk.write("a.txt", MIXED)
    if is_open:
        peer.editor.open(path)
    base = (await desk.editor.read(path)).text
    await desk.edit("a.txt", to_lf(base).replace("two", "2").replace("four", "4"))
    wanted = base.replace("two", "2").replace("four", "4")
    assert (await desk.editor.read(path)).text == wanted
    await desk.undo()
    assert (await desk.editor.read(path)).text == base
    await desk.database.close()


async def test_only_the_allowed_hunks_are_made_and_the_users_lines_keep_their_endings_when_all_is_undone(
    desk: Desk,
) -> None:
    path = desk.write("a.txt", MIXED)
    desk.approver.answers = [answering({path: frozenset({1})})]
    await desk.edit("a.txt", to_lf(MIXED).replace("two", "2").replace("five", "5"))
    assert path.read_bytes() == MIXED.replace("two", "2").encode()
    path.write_bytes(path.read_bytes().replace(b"four", b"the user's"))
    await desk.undo()
    assert path.read_bytes() == MIXED.replace("four", "the user's").encode()


async def test_lines_that_a_change_removed_come_back_with_the_endings_they_had(desk: Desk) -> None:
    path = desk.write("a.txt", MIXED)
    await desk.edit("a.txt", to_lf(MIXED).replace("two\nthree\n\n", ""))
    path.write_bytes(path.read_bytes().replace(b"six", b"seven"))
    await desk.undo()
    assert path.read_bytes() == MIXED.replace("six", "seven").encode()


async def test_what_the_user_changed_meanwhile_is_merged_without_touching_a_line_ending(desk: Desk) -> None:
    path = desk.write("a.txt", MIXED)
    planned = await desk.plan("a.txt", to_lf(MIXED).replace("two", "2"))
    path.write_bytes(MIXED.replace("five", "the user's").encode())
    await desk.changes.propose(plan(planned))
    assert path.read_bytes() == MIXED.replace("two", "2").replace("five", "the user's").encode()


# ---------------------------------------------------------------- the line endings of new files


def make_repository(desk: Desk, autocrlf: str) -> None:
    subprocess.run(["git", "init", "-q", desk.root], check=True)
    subprocess.run(["git", "-C", desk.root, "config", "core.autocrlf", autocrlf], check=True)


@pytest.mark.parametrize(
    ("rule", "text", "written"),
    [
        ({}, "a\nb\n", b"a\nb\n"),
        ({}, "a\r\nb\r\n", b"a\r\nb\r\n"),
        ({}, "a\r\nb\n", b"a\nb\n"),
        ({".editorconfig": "[*.txt]\nend_of_line = crlf\n"}, "a\nb\n", b"a\r\nb\r\n"),
        ({".editorconfig": "root=true\n[*]\nend_of_line = LF\n"}, "a\r\nb\r\n", b"a\nb\n"),
        ({".editorconfig": "[*.py]\nend_of_line = crlf\n"}, "a\nb\n", b"a\nb\n"),
        ({".gitattributes": "*.txt text eol=crlf\n"}, "a\nb\n", b"a\r\nb\r\n"),
        ({".gitattributes": "*.txt eol=crlf\n", ".editorconfig": "[*]\nend_of_line=lf\n"}, "a\nb\n", b"a\nb\n"),
        ({"autocrlf": "true"}, "a\nb\n", b"a\r\nb\r\n"),
        ({"autocrlf": "true", ".gitattributes": "*.txt -text\n"}, "a\nb\n", b"a\nb\n"),
        ({"autocrlf": "input"}, "a\nb\n", b"a\nb\n"),
    ],
)
async def test_a_new_file_has_the_line_endings_that_the_project_or_its_text_says(
    desk: Desk, rule: dict[str, str], text: str, written: bytes
) -> None:
    make_repository(desk, rule.get("autocrlf", "false"))
    for name in rule.keys() - {"autocrlf"}:
        desk.write(name, rule[name])
    path = desk.path("sub/new.txt")
    await desk.changes.propose(plan(create(path, text)))
    assert path.read_bytes() == written
    assert await desk.undo() == {"sub/new.txt": "restored"}
    assert await desk.redo() == {"sub/new.txt": "restored"}
    assert path.read_bytes() == written


@corpus(
    ("section", "names", "others"),
    [
        ("*", ["a", "sub/b.c"], []),
        ("*.{js,py}", ["a.js", "sub/b.py"], ["a.ts", "js"]),
        ("{a,b{c,d}}.txt", ["a.txt", "sub/bd.txt"], ["b.txt"]),
        ("lib/**.js", ["lib/a.js", "lib/x/y.js"], ["a.js", "src/lib/a.js"]),
        ("/lib/*.js", ["lib/a.js"], ["lib/x/a.js"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["b", "a/c"]),
        ("?.t[!x-y]t", ["a.tzt", "sub/b.tat"], ["a.txt", "ab.tzt"]),
        (r"\*.txt", ["*.txt"], ["a.txt"]),
    ],
)
def test_the_patterns_of_editorconfig_fit_what_its_specification_says(
    tmp_path: Path, section: str, names: list[str], others: list[str]
) -> None:
    (tmp_path / ".editorconfig").write_text(f"root = true\n[{section}]\nend_of_line = crlf\n")
    fitting = [name for name in names + others if editorconfig_ending(tmp_path / name) == "\r\n"]
    assert fitting == names


def test_a_hostile_editorconfig_costs_no_time(tmp_path: Path) -> None:
    section = "[{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}" + "*a" * 8 + "]\nend_of_line=crlf\n"
    long = f"[{'*a' * 2_000}]\nend_of_line=crlf\n[{'{a,b}' * 400}]\nend_of_line=crlf\n"
    (tmp_path / ".editorconfig").write_text(long + section * 100)
    start = os.times().user
    assert editorconfig_ending(tmp_path / ("a" * 200 + "b")) is None
    assert os.times().user - start < 20
