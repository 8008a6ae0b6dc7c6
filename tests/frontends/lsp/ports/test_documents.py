"""Reading and changing texts through editors of every kind, with the user typing meanwhile."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from corpus_support import corpus
from fake_editor.memory import MemoryPeer
from fake_editor.profiles import (
    EGLOT,
    HELIX,
    KATE,
    NEOVIM,
    PLAIN,
    SIX,
    STOCK_NEOVIM,
    STOCK_VSCODE,
    UNVERSIONED,
    VSCODE,
    EditorProfile,
)
from placet.core.errors import DocumentError, DocumentMissing
from placet.core.ports import Document, FileEdit, FileOutcome
from placet.frontends.lsp.ports import editor_reads, sent_edits
from placet.frontends.lsp.ports.documents import LspDocuments
from placet.project.files.disk import DiskDocuments
from placet.settings import EditSettings, Settings
from placet.text.diff import text_edits

CONTENT = "one\ntwo é\U0001f600\nthree\nfour\nfive\n"

every_editor = pytest.mark.parametrize(
    "profile", [*SIX, STOCK_VSCODE, STOCK_NEOVIM, UNVERSIONED], ids=lambda profile: profile.name
)
strict_editors = pytest.mark.parametrize("profile", [VSCODE, NEOVIM], ids=lambda profile: profile.name)
plain_editors_with_versions = pytest.mark.parametrize(
    "profile", [STOCK_VSCODE, STOCK_NEOVIM, HELIX, EGLOT, PLAIN], ids=lambda profile: profile.name
)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for an edit that does not come is the same when it is short."""
    monkeypatch.setattr(sent_edits, "LANDING_SECONDS", 0.2)
    monkeypatch.setattr(sent_edits, "REFUSED_LANDING_SECONDS", 0.05)


class Desk:
    """An editor, the daemon's documents over it, and a file."""

    def __init__(self, profile: EditorProfile, root: Path, settings: Settings | None = None) -> None:
        self.peer = MemoryPeer(profile, root)
        self.editor = self.peer.editor
        self.documents = LspDocuments(self.peer, self.peer.buffers, settings or Settings())
        self.root = root
        self.file = self.make("a.txt", CONTENT)

    def make(self, name: str, content: str) -> Path:
        path = self.root / name
        path.write_text(content, "utf-8", newline="")
        return path

    @property
    def text(self) -> str:
        return self.editor.buffers[self.file].text

    @property
    def disk(self) -> str:
        return self.file.read_bytes().decode()

    async def edit(self, path: Path, old: str, new: str) -> FileEdit:
        base = await self.documents.read(path)
        assert old in base.text
        return edit_of(base, base.text.replace(old, new))

    async def apply(self, *edits: FileEdit, edit_id: str = "edit") -> list[FileOutcome]:
        return await self.documents.apply(edits, edit_id=edit_id, label="an edit")

    async def change(self, old: str, new: str) -> FileOutcome:
        [outcome] = await self.apply(await self.edit(self.file, old, new))
        return outcome


@contextmanager
def stands_still(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[asyncio.Event]:
    """The editor does not get to edits until the event is set; meanwhile little patience is had with it."""
    go_on = asyncio.Event()
    desk.editor.before["workspace/applyEdit"] = lambda params: go_on.wait()
    with monkeypatch.context() as patch:
        patch.setattr(sent_edits, "APPLY_SECONDS", 0.02)
        patch.setattr(sent_edits, "LANDING_SECONDS", 0.02)
        yield go_on


def edit_of(base: Document, new_text: str) -> FileEdit:
    return FileEdit("modify", base.path, base, new_text, text_edits(base.text, new_text))


# ---------------------------------------------------------------- reading


@every_editor
async def test_an_open_buffer_is_the_truth_and_not_the_disk(profile: EditorProfile, tmp_path: Path) -> None:
    desk = Desk(profile, tmp_path)
    buffer = desk.editor.open(desk.file)
    desk.editor.type(desk.file, "unsaved ", after="one\n")
    document = await desk.documents.read(desk.file)
    assert (document.text, document.source) == (buffer.text, "buffer")
    assert (document.version, document.dirty) == (buffer.version, True)


async def test_what_is_not_open_is_read_from_disk(tmp_path: Path) -> None:
    desk = Desk(VSCODE, tmp_path)
    assert (await desk.documents.read(desk.file)).source == "disk"
    with pytest.raises(DocumentMissing):
        await desk.documents.read(tmp_path / "none")
    with pytest.raises(DocumentError):
        await desk.documents.read(tmp_path)


async def test_a_buffer_the_editor_did_not_tell_of_is_asked_for(tmp_path: Path) -> None:
    desk = Desk(NEOVIM, tmp_path)
    desk.editor.open(desk.file, attached=False)
    desk.editor.type(desk.file, "hidden ")
    document = await desk.documents.read(desk.file)
    assert (document.text, document.source, document.dirty) == ("hidden " + CONTENT, "editor", True)


async def test_an_editor_that_does_not_answer_is_taken_not_to_have_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(editor_reads, "READ_SECONDS", 0.05)
    desk = Desk(NEOVIM, tmp_path)
    desk.peer.deaf.add("editor/readDocuments")
    assert (await desk.documents.read(desk.file)).source == "disk"


async def test_reads_of_one_moment_share_one_request_and_each_gets_its_own_document(tmp_path: Path) -> None:
    desk = Desk(NEOVIM, tmp_path)
    files = [desk.make(f"{number}.txt", f"text {number}\n") for number in range(30)]
    for file in files[::10]:
        desk.editor.open(file, attached=False)
        desk.editor.type(file, "typed ")
    documents = await asyncio.gather(*map(desk.documents.read, [*files, files[0]]))
    assert [document.source == "editor" for document in documents[:30]] == [number % 10 == 0 for number in range(30)]
    assert [document.text.startswith("typed ") for document in documents[:30]] == [
        number % 10 == 0 for number in range(30)
    ]
    assert documents[30] == documents[0]
    assert [len(params["uris"]) for params in desk.editor.requests_of("editor/readDocuments")] == [30]


@pytest.mark.parametrize("told", [True, False], ids=["told", "untold"])
async def test_a_saved_document_that_the_editor_keeps_of_a_removed_file_is_no_file_and_an_unsaved_one_is(
    tmp_path: Path, told: bool
) -> None:
    desk = Desk(NEOVIM, tmp_path)
    desk.editor.open(desk.file, attached=told)
    desk.file.unlink()
    with pytest.raises(DocumentMissing):
        await desk.documents.read(desk.file)
    assert await desk.documents.unsaved() == []
    desk.editor.type(desk.file, "typed ")
    assert (await desk.documents.read(desk.file)).text == "typed " + CONTENT


async def test_a_read_that_is_given_up_leaves_the_other_reads_their_answer(tmp_path: Path) -> None:
    desk = Desk(NEOVIM, tmp_path)
    desk.editor.open(desk.file, attached=False)
    desk.editor.type(desk.file, "typed ")
    reads = [asyncio.create_task(desk.documents.read(desk.file)) for _ in range(2)]
    await asyncio.sleep(0)
    reads[0].cancel()
    assert (await reads[1]).text == "typed " + CONTENT
    assert reads[0].cancelled()


async def test_a_plain_editor_is_asked_nothing_it_did_not_offer(tmp_path: Path) -> None:
    desk = Desk(PLAIN, tmp_path)
    await desk.documents.read(desk.file)
    await desk.documents.reload()
    assert desk.editor.asked == []


async def test_a_buffer_typed_back_to_what_was_saved_is_clean(tmp_path: Path) -> None:
    desk = Desk(PLAIN, tmp_path)
    desk.editor.open(desk.file)
    desk.editor.type(desk.file, "x")
    assert (await desk.documents.read(desk.file)).dirty
    desk.editor.undo(desk.file)
    assert not (await desk.documents.read(desk.file)).dirty


async def test_a_buffer_opened_with_unsaved_text_is_dirty(tmp_path: Path) -> None:
    desk = Desk(HELIX, tmp_path)
    desk.peer.buffers.opened(desk.file.as_uri(), "text", 1, "unsaved before the daemon came")
    assert (await desk.documents.read(desk.file)).dirty


async def test_an_empty_buffer_of_a_file_that_does_not_exist_has_nothing_unsaved(tmp_path: Path) -> None:
    desk = Desk(HELIX, tmp_path)
    path = tmp_path / "new.txt"
    desk.editor.open(path)
    assert not (await desk.documents.read(path)).dirty
    desk.editor.type(path, "x")
    assert (await desk.documents.read(path)).dirty


@every_editor
async def test_the_unsaved_documents_are_those_that_differ_from_the_disk(
    profile: EditorProfile, tmp_path: Path
) -> None:
    desk = Desk(profile, tmp_path)
    for name in ("typed.txt", "typed_back.txt", "clean.txt"):
        desk.editor.open(desk.make(name, "saved\n"))
    for name in ("typed.txt", "typed_back.txt"):
        desk.editor.type(tmp_path / name, "x")
    desk.editor.undo(tmp_path / "typed_back.txt")
    for name in ("new.txt", "empty.txt"):
        desk.editor.open(tmp_path / name)
    desk.editor.type(tmp_path / "new.txt", "never saved")
    desk.peer.buffers.opened("untitled:Untitled-1", "text", 1, "no file at all")
    unsaved = await desk.documents.unsaved()
    assert {(document.path, document.text, document.dirty) for document in unsaved} == {
        (tmp_path / "typed.txt", "xsaved\n", True),
        (tmp_path / "new.txt", "never saved", True),
    }


async def test_a_document_open_under_two_names_is_unsaved_once(tmp_path: Path) -> None:
    desk = Desk(PLAIN, tmp_path)
    link = tmp_path / "link.txt"
    link.symlink_to(desk.file)
    desk.peer.buffers.opened(desk.file.as_uri(), "text", 1, CONTENT)
    desk.peer.buffers.opened(link.as_uri(), "text", 1, "typed")
    assert [document.text for document in await desk.documents.unsaved()] == ["typed"]


async def test_reload_has_the_editor_look_at_the_disk(tmp_path: Path) -> None:
    desk = Desk(VSCODE, tmp_path)
    desk.editor.open(desk.file)
    desk.make("a.txt", "changed by a command\n")
    await desk.documents.reload()
    assert (await desk.documents.read(desk.file)).text == "changed by a command\n"


# ---------------------------------------------------------------- one open file


@every_editor
@pytest.mark.parametrize("dirty", [True, False], ids=["dirty", "clean"])
async def test_an_edit_lands_or_is_refused_and_is_never_half(
    profile: EditorProfile, dirty: bool, tmp_path: Path
) -> None:
    desk = Desk(profile, tmp_path)
    desk.editor.open(desk.file)
    if dirty:
        desk.editor.type(desk.file, "unsaved ", after="four\n")
    before = desk.text
    outcome = await desk.change("two", "zwei")
    if profile is KATE and dirty:
        assert not outcome.applied
        assert "unsaved changes" in outcome.reason
        assert desk.text == before
        return
    assert outcome.applied, outcome.reason
    assert outcome.after is not None
    assert outcome.after.text == before.replace("two", "zwei")
    assert (await desk.documents.read(desk.file)).text == outcome.after.text
    if profile is KATE:
        assert desk.disk == outcome.after.text
        desk.editor.look_at_disk()
    assert desk.text == outcome.after.text
    assert desk.editor.violations == []


@strict_editors
async def test_a_strict_editor_saves_what_was_clean_and_leaves_what_was_not(
    profile: EditorProfile, tmp_path: Path
) -> None:
    desk = Desk(profile, tmp_path)
    desk.editor.open(desk.file)
    outcome = await desk.change("two", "zwei")
    assert desk.disk == desk.text
    assert outcome.after is not None
    assert not outcome.after.dirty
    desk.editor.type(desk.file, "unsaved ")
    saved = desk.disk
    outcome = (await desk.apply(await desk.edit(desk.file, "three", "drei"), edit_id="second"))[0]
    assert outcome.after is not None
    assert outcome.after.dirty
    assert desk.disk == saved


@strict_editors
async def test_what_a_formatter_makes_of_it_is_what_is_reported(profile: EditorProfile, tmp_path: Path) -> None:
    desk = Desk(profile, tmp_path)
    desk.editor.open(desk.file)
    desk.editor.on_save = lambda text: text.replace("zwei", "ZWEI")
    outcome = await desk.change("two", "zwei")
    assert outcome.applied
    assert outcome.changed_by_save
    assert outcome.after is not None
    assert outcome.after.text == CONTENT.replace("two", "ZWEI") == desk.disk


@every_editor
async def test_only_what_differs_is_sent(profile: EditorProfile, tmp_path: Path) -> None:
    desk = Desk(profile, tmp_path)
    desk.editor.open(desk.file)
    await desk.change("\U0001f600", "\U0001f600!")
    for params in desk.editor.requests_of("workspace/applyEdit"):
        edit = params["edit"]
        edits = edit["changes"][desk.file.as_uri()] if "changes" in edit else edit["documentChanges"][0]["edits"]
        assert [one["newText"] for one in edits] == ["!"]
        character = {"utf-8": 10, "utf-16": 7, "utf-32": 6}[desk.editor.encoding]
        assert edits[0]["range"]["start"] == {"line": 1, "character": character}


@corpus("profile", [VSCODE, NEOVIM, HELIX, EGLOT, PLAIN])
async def test_carriage_returns_are_kept(profile: EditorProfile, tmp_path: Path) -> None:
    desk = Desk(profile, tmp_path)
    desk.make("a.txt", CONTENT.replace("\n", "\r\n"))
    desk.editor.open(desk.file)
    outcome = await desk.change("two", "zwei\r\nnew")
    assert outcome.applied, outcome.reason
    assert desk.text == CONTENT.replace("two", "zwei\nnew").replace("\n", "\r\n")


# ---------------------------------------------------------------- the user types


@every_editor
async def test_an_edit_for_a_text_that_has_changed_since_is_not_even_sent(
    profile: EditorProfile, tmp_path: Path
) -> None:
    desk = Desk(profile, tmp_path)
    desk.editor.open(desk.file)
    edit = await desk.edit(desk.file, "two", "zwei")
    desk.editor.type(desk.file, "typed ")
    [outcome] = await desk.apply(edit)
    assert not outcome.applied
    assert "read it again" in outcome.reason or "unsaved changes" in outcome.reason
    assert desk.text == "typed " + CONTENT
    assert desk.editor.requests_of("workspace/applyEdit") == []


@corpus("profile", [VSCODE, NEOVIM, STOCK_VSCODE, STOCK_NEOVIM, HELIX, EGLOT, PLAIN])
async def test_what_is_typed_while_the_edit_is_on_its_way_makes_it_a_refused_one(
    profile: EditorProfile, tmp_path: Path
) -> None:
    desk = Desk(profile, tmp_path)
    desk.editor.open(desk.file)
    desk.editor.before["workspace/applyEdit"] = lambda params: desk.editor.type(desk.file, "typed\n")
    outcome = await desk.change("two", "zwei")
    assert not outcome.applied
    assert outcome.reason
    assert outcome.after is not None
    assert outcome.after.text == desk.text == "typed\n" + CONTENT


@corpus(
    "profile",
    [VSCODE, NEOVIM, STOCK_VSCODE, STOCK_NEOVIM, HELIX, EGLOT, PLAIN, UNVERSIONED],
)
@corpus("debounced", [False, True])
async def test_what_is_typed_right_behind_an_edit_does_not_hide_it(
    profile: EditorProfile, debounced: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sent_edits, "LANDING_SECONDS", 60.0)  # It comes, and when is the machine's to say.
    desk = Desk(profile, tmp_path)
    desk.editor.open(desk.file)
    if debounced:
        desk.editor.before["workspace/applyEdit"] = lambda params: desk.editor.hold(desk.file)

    def type_and_tell(params: object) -> None:
        desk.editor.type(desk.file, "typed\n")
        if debounced:
            asyncio.get_running_loop().call_later(0.02, desk.editor.release, desk.file)

    desk.editor.after["workspace/applyEdit"] = type_and_tell
    outcome = await desk.change("two", "zwei")
    assert outcome.applied, outcome.reason
    assert outcome.after is not None
    assert outcome.after.text == CONTENT.replace("two", "zwei")
    assert desk.text == "typed\n" + CONTENT.replace("two", "zwei")
    assert (await desk.documents.read(desk.file)).text == desk.text


async def test_typing_that_our_copy_has_not_heard_of_is_refused_by_the_editors_version(tmp_path: Path) -> None:
    desk = Desk(STOCK_NEOVIM, tmp_path)
    desk.editor.open(desk.file)
    desk.editor.hold(desk.file)
    desk.editor.type(desk.file, "typed\n")
    outcome = await desk.change("two", "zwei")
    assert not outcome.applied
    assert "says it applied the edit" in outcome.reason
    desk.editor.release(desk.file)
    assert (await desk.documents.read(desk.file)).text == desk.text == "typed\n" + CONTENT


async def test_an_editor_without_versions_that_misplaced_an_edit_is_found_out(tmp_path: Path) -> None:
    desk = Desk(UNVERSIONED, tmp_path)
    desk.editor.open(desk.file)
    desk.editor.before["workspace/applyEdit"] = lambda params: desk.editor.type(desk.file, "typed\n")
    outcome = await desk.change("two", "zwei")
    assert not outcome.applied
    assert "read it again" in outcome.reason


async def test_a_stale_edit_of_a_strict_editor_leaves_every_file_as_it_was(tmp_path: Path) -> None:
    desk = Desk(NEOVIM, tmp_path)
    other = desk.make("b.txt", CONTENT)
    for path in (desk.file, other):
        desk.editor.open(path)
    desk.editor.before["workspace/applyEdit"] = lambda params: desk.editor.type(other, "typed\n")
    outcomes = await desk.apply(await desk.edit(desk.file, "two", "zwei"), await desk.edit(other, "two", "zwei"))
    assert [outcome.applied for outcome in outcomes] == [False, False]
    assert desk.text == CONTENT
    assert desk.editor.buffers[other].text == "typed\n" + CONTENT


# ---------------------------------------------------------------- answers that do not come


@pytest.mark.parametrize("profile", [VSCODE, PLAIN], ids=lambda profile: profile.name)
async def test_an_edit_whose_answer_does_not_come_is_settled_by_reading_back(
    profile: EditorProfile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sent_edits, "APPLY_SECONDS", 0.05)
    desk = Desk(profile, tmp_path)
    desk.editor.open(desk.file)
    desk.peer.deaf.add("workspace/applyEdit")
    outcome = await desk.change("two", "zwei")
    assert outcome.applied
    assert desk.text == CONTENT.replace("two", "zwei")
    assert len(desk.editor.requests_of("workspace/applyEdit")) == 1


@pytest.mark.parametrize("profile", [VSCODE, PLAIN], ids=lambda profile: profile.name)
async def test_an_edit_that_the_editor_has_not_answered_is_not_known_until_it_does(
    profile: EditorProfile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(profile, tmp_path)
    desk.editor.open(desk.file)
    with stands_still(desk, monkeypatch) as go_on:
        outcome = await desk.change("two", "zwei")
    assert (outcome.applied, outcome.is_unsure) == (False, True)
    assert "may still apply the change" in outcome.reason
    assert desk.text == CONTENT
    assert desk.editor.taken_off == []
    go_on.set()
    assert outcome.later is not None
    later = await outcome.later
    assert later.applied
    assert later.after is not None
    assert later.after.text == desk.text == CONTENT.replace("two", "zwei")


@pytest.mark.parametrize("profile", [VSCODE, PLAIN], ids=lambda profile: profile.name)
async def test_an_edit_that_the_editor_refuses_late_is_not_applied(
    profile: EditorProfile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(profile, tmp_path)
    desk.editor.open(desk.file)
    with stands_still(desk, monkeypatch) as go_on:
        outcome = await desk.change("two", "zwei")
    desk.editor.type(desk.file, "typed ")
    go_on.set()
    assert outcome.later is not None
    later = await outcome.later
    assert (later.applied, later.is_unsure) == (False, False)
    assert desk.text == "typed " + CONTENT


async def test_an_edit_without_an_answer_is_known_by_its_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sent_edits, "LANDING_SECONDS", 0.05)
    desk = Desk(PLAIN, tmp_path)
    desk.editor.open(desk.file)
    desk.peer.deaf.add("workspace/applyEdit")
    with stands_still(desk, monkeypatch) as go_on:
        outcome = await desk.change("two", "zwei")
    go_on.set()
    assert outcome.later is not None
    later = await outcome.later
    assert later.applied


@pytest.mark.parametrize("profile", [VSCODE, PLAIN], ids=lambda profile: profile.name)
async def test_an_edit_that_the_editor_never_answers_is_given_up_and_the_editor_is_told(
    profile: EditorProfile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sent_edits, "GIVE_UP_SECONDS", 0.02)
    desk = Desk(profile, tmp_path)
    desk.editor.open(desk.file)
    with stands_still(desk, monkeypatch):
        outcome = await desk.change("two", "zwei")
    assert outcome.later is not None
    later = await outcome.later
    assert (later.applied, later.is_unsure, later.after.text if later.after else None) == (False, False, CONTENT)
    await asyncio.sleep(0)
    assert desk.editor.taken_off == ["workspace/applyEdit"]
    desk.editor.before.clear()
    assert (await desk.change("two", "zwei")).applied


async def test_of_an_edit_whose_editor_is_gone_it_stays_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(PLAIN, tmp_path)
    desk.editor.open(desk.file)
    with stands_still(desk, monkeypatch):
        outcome = await desk.change("two", "zwei")
    desk.peer.gone.set()
    assert outcome.later is not None
    later = await outcome.later
    assert (later.applied, later.is_unsure) == (False, True)


async def test_of_an_edit_over_a_lost_connection_it_is_not_known(tmp_path: Path) -> None:
    desk = Desk(VSCODE, tmp_path)
    desk.editor.open(desk.file)
    edit = await desk.edit(desk.file, "two", "zwei")
    desk.peer.gone.set()
    [outcome] = await desk.apply(edit)
    assert (outcome.applied, outcome.is_unsure) == (False, True)
    assert "lost" in outcome.reason


# ---------------------------------------------------------------- several files


@strict_editors
async def test_a_strict_editor_takes_all_files_in_one_request_also_those_not_open(
    profile: EditorProfile, tmp_path: Path
) -> None:
    desk = Desk(profile, tmp_path)
    closed = desk.make("b.txt", CONTENT)
    desk.editor.open(desk.file)
    edits = [await desk.edit(path, "two", "zwei") for path in (desk.file, closed)]
    outcomes = await desk.apply(*edits)
    assert [outcome.applied for outcome in outcomes] == [True, True]
    [params] = desk.editor.requests_of("workspace/applyEdit")
    assert [one["version"] for one in params["agent"]["expect"]] == [profile.first_version, None]
    assert params["agent"]["save"] == "ifWasClean"
    assert closed.read_text("utf-8") == CONTENT.replace("two", "zwei")
    assert list(desk.editor.buffers) == [desk.file]


async def test_above_the_limit_files_that_are_not_open_are_written_on_disk(tmp_path: Path) -> None:
    desk = Desk(VSCODE, tmp_path, Settings(edit=EditSettings(files_through_editor=1)))
    closed = [desk.make(name, CONTENT) for name in ("b.txt", "c.txt")]
    desk.editor.open(desk.file)
    edits = [await desk.edit(path, "two", "zwei") for path in (closed[0], desk.file, closed[1])]
    outcomes = await desk.apply(*edits)
    assert [(outcome.path.name, outcome.applied) for outcome in outcomes] == [
        ("b.txt", True),
        ("a.txt", True),
        ("c.txt", True),
    ]
    [params] = desk.editor.requests_of("workspace/applyEdit")
    assert len(params["edit"]["documentChanges"]) == 1
    assert all(path.read_text("utf-8") == CONTENT.replace("two", "zwei") for path in closed)


async def test_a_closed_file_that_changed_since_ends_the_run_on_disk_at_its_place(tmp_path: Path) -> None:
    desk = Desk(VSCODE, tmp_path, Settings(edit=EditSettings(files_through_editor=1)))
    closed = [desk.make(f"{number:02}.txt", CONTENT) for number in range(40)]
    edits = [await desk.edit(path, "two", "zwei") for path in closed]
    closed[25].write_text("another\n")
    outcomes = await desk.apply(*edits)
    assert [outcome.applied for outcome in outcomes] == [number < 25 for number in range(40)]
    assert "has changed since the edit was made" in outcomes[25].reason
    assert {outcome.reason for outcome in outcomes[26:]} == {"not tried, as an earlier file failed"}
    texts = [path.read_text("utf-8") for path in closed]
    assert texts == [CONTENT.replace("two", "zwei")] * 25 + ["another\n"] + [CONTENT] * 14


async def test_closed_files_that_got_other_line_ends_since_are_written_with_these(tmp_path: Path) -> None:
    desk = Desk(VSCODE, tmp_path, Settings(edit=EditSettings(files_through_editor=1)))
    closed = [desk.make(name, CONTENT) for name in ("b.txt", "c.txt")]
    edits = [await desk.edit(path, "two", "zwei") for path in closed]
    for path in closed:
        path.write_text(CONTENT, "utf-8", newline="\r\n")
    outcomes = await desk.apply(*edits)
    expected = CONTENT.replace("two", "zwei").replace("\n", "\r\n")
    assert [outcome.after and outcome.after.text for outcome in outcomes] == [expected] * 2
    assert [path.read_bytes().decode() for path in closed] == [expected] * 2


async def test_mixed_line_endings_of_a_file_that_is_not_open_survive(tmp_path: Path) -> None:
    desk = Desk(VSCODE, tmp_path)
    desk.make("a.txt", "one\r\ntwo\nthree\r\n")
    outcome = await desk.change("three", "drei")
    assert outcome.applied
    assert desk.disk == "one\r\ntwo\ndrei\r\n"


@plain_editors_with_versions
async def test_other_editors_get_one_file_a_request_and_files_that_are_not_open_go_to_disk(
    profile: EditorProfile, tmp_path: Path
) -> None:
    desk = Desk(profile, tmp_path)
    opened, closed = desk.make("b.txt", CONTENT), desk.make("c.txt", CONTENT)
    for path in (desk.file, opened):
        desk.editor.open(path)
    edits = [await desk.edit(path, "two", "zwei") for path in (desk.file, opened, closed)]
    outcomes = await desk.apply(*edits)
    assert [outcome.applied for outcome in outcomes] == [True, True, True]
    assert len(desk.editor.requests_of("workspace/applyEdit")) == 2
    assert closed.read_text("utf-8") == CONTENT.replace("two", "zwei")
    assert desk.editor.violations == []


@plain_editors_with_versions
async def test_the_first_failure_ends_it(profile: EditorProfile, tmp_path: Path) -> None:
    desk = Desk(profile, tmp_path)
    files = [desk.file, desk.make("b.txt", CONTENT), desk.make("c.txt", CONTENT)]
    for path in files:
        desk.editor.open(path)

    def type_into_second(params: dict[str, object]) -> None:
        if files[1].as_uri() in str(params):
            desk.editor.type(files[1], "typed\n")

    desk.editor.before["workspace/applyEdit"] = type_into_second
    outcomes = await desk.apply(*[await desk.edit(path, "two", "zwei") for path in files])
    assert [outcome.applied for outcome in outcomes] == [True, False, False]
    assert "not tried" in outcomes[2].reason
    assert desk.editor.buffers[files[2]].text == CONTENT


# ---------------------------------------------------------------- create, delete, rename


@every_editor
async def test_a_new_file_is_made_on_disk_and_never_through_the_editor(profile: EditorProfile, tmp_path: Path) -> None:
    desk = Desk(profile, tmp_path)
    path = tmp_path / "deep" / "new.txt"
    [outcome] = await desk.apply(FileEdit("create", path, None, "new\n"))
    assert outcome.applied
    assert path.read_text("utf-8") == "new\n"
    assert desk.editor.asked == []


@every_editor
async def test_an_open_file_is_deleted_on_disk_and_the_user_told(profile: EditorProfile, tmp_path: Path) -> None:
    desk = Desk(profile, tmp_path)
    desk.editor.open(desk.file)
    base = await desk.documents.read(desk.file)
    [outcome] = await desk.apply(FileEdit("delete", desk.file, base))
    assert outcome.applied
    assert outcome.after is None
    assert not desk.file.exists()
    await desk.editor.wait_until(lambda: any("a.txt" in str(params) for _, params in desk.editor.told))
    with pytest.raises(DocumentMissing):
        await desk.documents.read(desk.file)


@every_editor
async def test_a_file_with_unsaved_text_is_neither_deleted_nor_renamed(profile: EditorProfile, tmp_path: Path) -> None:
    desk = Desk(profile, tmp_path)
    desk.editor.open(desk.file)
    desk.editor.type(desk.file, "unsaved ")
    base = await desk.documents.read(desk.file)
    for edit in (
        FileEdit("delete", desk.file, base),
        FileEdit("rename", desk.file, base, base.text, new_path=tmp_path / "b.txt"),
    ):
        [outcome] = await desk.apply(edit)
        assert not outcome.applied
        assert "unsaved changes" in outcome.reason
    assert desk.disk == CONTENT


async def test_a_clean_open_file_is_renamed_and_then_found_under_its_new_name(tmp_path: Path) -> None:
    desk = Desk(HELIX, tmp_path)
    desk.editor.open(desk.file)
    base = await desk.documents.read(desk.file)
    new_path = tmp_path / "b.txt"
    [outcome] = await desk.apply(FileEdit("rename", desk.file, base, base.text, new_path=new_path))
    assert outcome.applied
    assert (await desk.documents.read(new_path)).text == CONTENT
    with pytest.raises(DocumentMissing):
        await desk.documents.read(desk.file)


async def test_a_deleted_file_comes_back_to_life_when_the_user_types_into_its_buffer(tmp_path: Path) -> None:
    desk = Desk(HELIX, tmp_path)
    desk.editor.open(desk.file)
    await desk.apply(FileEdit("delete", desk.file, await desk.documents.read(desk.file)))
    desk.editor.type(desk.file, "still here ")
    document = await desk.documents.read(desk.file)
    assert (document.text, document.dirty) == ("still here " + CONTENT, True)


# ---------------------------------------------------------------- an editor that takes no edits of ours


async def test_kates_clean_buffer_is_written_under_and_the_disk_is_the_truth_until_it_reloads(tmp_path: Path) -> None:
    desk = Desk(KATE, tmp_path)
    desk.editor.open(desk.file)
    assert (await desk.change("two", "zwei")).applied
    assert (await desk.documents.read(desk.file)).source == "disk"
    assert (await desk.change("three", "drei")).applied
    desk.editor.look_at_disk()
    document = await desk.documents.read(desk.file)
    assert (document.source, document.text, document.dirty) == ("buffer", desk.disk, False)
    assert document.text == CONTENT.replace("two", "zwei").replace("three", "drei")


async def test_typing_into_kates_buffer_before_it_reloads_is_the_users_truth_and_a_conflict(tmp_path: Path) -> None:
    desk = Desk(KATE, tmp_path)
    desk.editor.open(desk.file)
    await desk.change("two", "zwei")
    desk.editor.type(desk.file, "typed ")
    document = await desk.documents.read(desk.file)
    assert (document.text, document.dirty) == ("typed " + CONTENT, True)
    assert not (await desk.change("three", "drei")).applied


class SlowDisk(DiskDocuments):
    """A disk whose writing the editor notices before we look at the editor again."""

    def __init__(self, meanwhile: Callable[[], object]) -> None:
        super().__init__()
        self._meanwhile = meanwhile

    async def apply(
        self, edits: Sequence[FileEdit], *, edit_id: str, label: str, turn_id: str = ""
    ) -> list[FileOutcome]:
        outcomes = await super().apply(edits, edit_id=edit_id, label=label, turn_id=turn_id)
        self._meanwhile()
        return outcomes


async def test_an_editor_that_loads_the_written_text_at_once_has_the_edit(tmp_path: Path) -> None:
    desk = Desk(KATE, tmp_path)
    desk.editor.open(desk.file)
    desk.documents._disk = SlowDisk(desk.editor.look_at_disk)
    assert (await desk.change("two", "zwei")).applied
    assert desk.disk == desk.text == CONTENT.replace("two", "zwei")
    document = await desk.documents.read(desk.file)
    assert (document.source, document.dirty) == ("buffer", False)


async def test_what_is_typed_while_the_disk_is_written_under_a_buffer_goes_first(tmp_path: Path) -> None:
    desk = Desk(KATE, tmp_path)
    desk.editor.open(desk.file)

    def type_once() -> None:
        if desk.text == CONTENT:
            desk.editor.type(desk.file, "typed ")

    desk.documents._disk = SlowDisk(type_once)
    outcome = await desk.change("two", "zwei")
    assert not outcome.applied
    assert "typed into" in outcome.reason
    assert desk.disk == CONTENT
    assert (await desk.documents.read(desk.file)).text == desk.text == "typed " + CONTENT


async def test_kate_is_not_trusted_with_an_edit_even_within_its_window(tmp_path: Path) -> None:
    desk = Desk(KATE, tmp_path)
    desk.editor.open(desk.file)
    desk.editor.command_was_run()
    assert (await desk.change("two", "zwei")).applied
    assert desk.editor.requests_of("workspace/applyEdit") == []
