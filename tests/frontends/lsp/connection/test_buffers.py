"""Open documents, as the client syncs them."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from fake_editor import text as naive
from placet.frontends.lsp.connection.buffers import BufferStore, OpenBuffer
from placet.frontends.lsp.protocol.standard import read

PATH = Path("/project/a.py")
URI = "file:///project/a.py"


def opened(content: str = "one\ntwo\n", *, encoding: str = "utf-16") -> BufferStore:
    store = BufferStore(encoding)  # pyright: ignore[reportArgumentType]
    store.opened(URI, "python", 1, content)
    return store


def insert(line: int, character: int, text: str) -> types.TextDocumentContentChangePartial:
    at = types.Position(line, character)
    return types.TextDocumentContentChangePartial(types.Range(at, at), text)


def whole(text: str) -> types.TextDocumentContentChangeWholeDocument:
    return types.TextDocumentContentChangeWholeDocument(text)


def test_an_opened_document_is_found_by_its_path() -> None:
    found = opened().find(PATH)
    assert found is not None
    assert (found.uri, found.version, found.text, found.language_id) == (URI, 1, "one\ntwo\n", "python")


def test_changes_are_applied_one_after_the_other() -> None:
    store = opened()
    store.changed(URI, 2, [insert(0, 3, "!"), insert(0, 4, "?")])
    found = store.find(PATH)
    assert found is not None
    assert (found.version, found.text) == (2, "one!?\ntwo\n")


def test_a_change_without_a_range_is_the_whole_text() -> None:
    store = opened()
    store.changed(URI, 2, [insert(0, 0, "x"), whole("new"), insert(0, 3, "!")])
    assert store.all()[0].text == "new!"


def test_a_document_that_was_never_opened_cannot_be_changed() -> None:
    store = opened()
    store.changed("file:///other", 2, [whole("x")])
    store.saved("file:///other")
    store.closed("file:///other")
    assert [one.uri for one in store.all()] == [URI]


def test_changed_means_since_it_was_opened_or_saved() -> None:
    store = opened()
    [found] = store.all()
    assert not found.changed
    store.changed(URI, 2, [insert(0, 0, "x")])
    assert found.changed
    store.saved(URI)
    assert not found.changed


def test_a_closed_document_is_gone() -> None:
    store = opened()
    store.closed(URI)
    assert store.find(PATH) is None
    assert store.all() == ()


def test_a_document_opened_again_starts_anew() -> None:
    store = opened()
    store.opened(URI, "python", 1, "fresh")
    assert [one.text for one in store.all()] == ["fresh"]
    store.closed(URI)
    assert store.find(PATH) is None


@pytest.mark.parametrize("uri", ["file:///project/%61.py", "file:///project/a%2Epy", "file:///project/a.py"])
def test_a_path_is_found_however_its_uri_is_spelled(uri: str) -> None:
    store = BufferStore()
    store.opened(uri, "", 1, "")
    found = store.find(PATH)
    assert found is not None
    assert found.uri == uri


def test_a_document_opened_through_a_link_is_found_by_the_real_path_and_the_other_way_round(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    store = BufferStore()
    store.opened((tmp_path / "link" / "a.py").as_uri(), "", 1, "x")
    assert store.find(tmp_path / "real" / "a.py") is not None
    assert store.find(tmp_path / "link" / "a.py") is not None


def test_of_two_names_of_one_file_the_one_asked_for_is_preferred(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_text("")
    (tmp_path / "link.py").symlink_to(tmp_path / "real.py")
    store = BufferStore()
    for name in ("real.py", "link.py"):
        store.opened((tmp_path / name).as_uri(), "", 1, name)
    for name in ("real.py", "link.py"):
        found = store.find(tmp_path / name)
        assert found is not None
        assert found.text == name


def test_what_is_no_file_has_no_path() -> None:
    store = BufferStore()
    store.opened("untitled:Untitled-1", "", 1, "x")
    assert [one.path for one in store.all()] == [None]
    assert store.get("untitled:Untitled-1") is not None
    store.closed("untitled:Untitled-1")
    assert store.all() == ()


@pytest.mark.skipif(os.name != "nt", reason="drive letters")
@pytest.mark.parametrize("uri", ["file:///c%3A/a.py", "file:///C:/a.py", "file:///c:/A.PY"])
def test_drive_letters_and_case_do_not_matter(uri: str) -> None:
    store = BufferStore()
    store.opened(uri, "", 1, "")
    assert store.find(Path("C:/a.py")) is not None


def test_a_watcher_hears_of_every_change() -> None:
    store, versions = opened(), list[int]()
    with store.watched(lambda document: versions.append(document.version)):
        store.changed(URI, 2, [insert(0, 0, "x")])
        store.changed(URI, 3, [insert(0, 0, "x")])
    assert versions == [2, 3]


def test_a_watcher_hears_of_opening_and_saving() -> None:
    store, heard = BufferStore(), list[OpenBuffer | None]()
    with store.watched(heard.append):
        store.opened(URI, "python", 1, "a")
        store.saved(URI)
    assert heard == [store.find(PATH)] * 2


def test_a_watcher_sees_a_text_that_is_typed_over_in_the_same_message() -> None:
    store, texts = opened("a"), list[str]()
    with store.watched(lambda document: texts.append(document.text)):
        store.changed(URI, 2, [insert(0, 1, "b"), insert(0, 2, "c")])
    assert texts == ["ab", "abc"]


def test_a_watcher_hears_of_a_document_that_is_closed() -> None:
    store, open_then = opened(), list[OpenBuffer | None]()
    with store.watched(lambda _: open_then.append(store.find(PATH))):
        store.closed(URI)
    assert open_then == [None]


def test_a_watcher_hears_nothing_any_more_once_it_is_gone() -> None:
    store, heard = opened(), list[OpenBuffer]()
    with store.watched(heard.append):
        store.changed(URI, 2, [insert(0, 0, "x")])
    store.changed(URI, 3, [insert(0, 0, "x")])
    assert len(heard) == 1


TEXTS = st.text(st.sampled_from("ab \n\r\té\U0001f600\u2028\x0c"), max_size=12)


@given(
    start=TEXTS,
    edits=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), TEXTS), max_size=6),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-32"]),
)
def test_a_synced_document_is_the_editors_text(
    start: str, edits: list[tuple[float, float, str]], encoding: str
) -> None:
    store = opened(start, encoding=encoding)
    content = start
    for version, (one, other, new) in enumerate(edits, start=2):
        ends = sorted((int(one * len(content)), int(other * len(content))))
        # No editor puts a position inside a CR LF.
        first, last = (end - (content[end - 1 : end + 1] == "\r\n") for end in ends)
        span = read(types.Range, naive.span(content, first, last, encoding))
        store.changed(URI, version, [types.TextDocumentContentChangePartial(span, new)])
        content = content[:first] + new + content[last:]
    assert store.all()[0].text == content
