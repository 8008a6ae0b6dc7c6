"""What two eyes see of a file, and whether a text holds a change."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.core.ports import Document
from placet.frontends.acp.ports.file_view import MOST_EARLIER_TEXTS, FileView, SeenFiles, landing, same_text
from placet.text.lines import restore_line_endings, to_lf

PATH = Path("/project/a.txt")
BASE = "".join(f"line {number}\n" for number in range(9))
WANTED = BASE.replace("line 4", "agent 4")

texts = st.text(st.sampled_from("ab\n\r \u2028"), max_size=12)
lf_texts = texts.map(to_lf)


def on_disk(text: str, *, encoding: str = "utf-8", bom: bool = False) -> Document:
    return Document(PATH, text, "disk", encoding=encoding, bom=bom)


@given(lf_texts, lf_texts)
def test_texts_are_the_same_but_for_one_final_newline(one: str, two: str) -> None:
    assert same_text(one, two) == same_text(two, one)
    assert same_text(one, one)
    assert same_text(one, one + "\n")
    assert not same_text(one, one + "\n\n")
    assert same_text(one, two) == (one == two or {one, two} in ({one, one + "\n"}, {two, two + "\n"}))


@given(texts)
def test_a_client_with_the_disk_s_text_shows_the_disk_s_document(text: str) -> None:
    disk = on_disk(text, encoding="utf-16-le", bom=True)
    for client in (to_lf(text), to_lf(text) + "\n", to_lf(text).removesuffix("\n")):
        assert FileView(PATH, client, disk).document is disk


@given(texts, lf_texts)
def test_unsaved_text_keeps_encoding_bom_and_line_ends_of_the_file(text: str, client: str) -> None:
    disk = on_disk(text, encoding="utf-16-le", bom=True)
    view = FileView(PATH, client, disk)
    document = view.document
    assert document is not None
    if view.is_dirty:
        assert (document.encoding, document.bom, document.dirty, document.source) == ("utf-16-le", True, True, "editor")
        assert same_text(to_lf(document.text), client)
        assert document.text == restore_line_endings(text, to_lf(document.text))


@given(lf_texts)
def test_only_a_text_with_characters_makes_a_document_of_a_missing_file(client: str) -> None:
    document = FileView(PATH, client, None).document
    assert (document is None) == (client == "")
    assert FileView(PATH, None, None).document is None


@given(st.lists(lf_texts, min_size=1, max_size=20))
def test_a_text_that_the_disk_never_had_is_never_stale(disk_texts: list[str]) -> None:
    seen = SeenFiles()
    for text in disk_texts:
        seen.view(PATH, text, on_disk(text))
        assert not seen.view(PATH, "of the user\n", on_disk(text)).is_stale


@given(st.lists(lf_texts, min_size=1, max_size=MOST_EARLIER_TEXTS - 1, unique_by=lambda text: text.removesuffix("\n")))
def test_a_client_that_has_not_loaded_the_file_again_is_stale_however_often_the_file_changes(
    disk_texts: list[str],
) -> None:
    seen = SeenFiles()
    first = "first of all\n"
    assert not seen.view(PATH, first, on_disk(first)).is_stale
    for text in disk_texts:
        view = seen.view(PATH, first, on_disk(text))
        assert view.is_stale
        assert view.document == on_disk(text)


def test_a_text_that_the_disk_had_before_both_agreed_on_another_is_unsaved() -> None:
    seen = SeenFiles()
    for text in ("old\n", "new\n"):
        seen.view(PATH, text, on_disk(text))
    view = seen.view(PATH, "old\n", on_disk("new\n"))
    assert (view.is_stale, view.is_dirty) == (False, True)


def test_files_seen_last_come_last() -> None:
    seen = SeenFiles()
    for name in ("a", "b", "c", "a"):
        seen.view(PATH.with_name(name), None, None)
    assert seen.recent(2) == [PATH.with_name("c"), PATH.with_name("a")]


@corpus(
    ("current", "expected"),
    [
        (WANTED, "landed"),
        (WANTED.removesuffix("\n"), "landed"),
        (BASE, "absent"),
        (BASE + "\n", "absent"),
        ("typed\n" + WANTED, "beside"),
        ("typed\n" + BASE, "absent"),
        (WANTED.replace("line 3", "line 3, typed"), "beside"),
        (BASE.replace("line 3", "line 3, typed"), "absent"),
        (WANTED.replace("agent 4", "my own"), "absent"),
        (WANTED.replace("agent 4", '  ("agent", 4);'), "formatted"),
        (WANTED.replace("\n", "\n\n"), "formatted"),
        (WANTED.replace("agent 4", "agent  5"), "absent"),
        ("", "absent"),
    ],
)
def test_the_landing_of_a_change_is_seen_in_the_text(current: str, expected: str) -> None:
    assert landing(BASE, WANTED, current) == expected


def test_a_change_has_landed_beside_typing_also_where_the_client_has_added_empty_lines_at_the_end() -> None:
    before, wanted = "one\nmine\ntwo\n\n\n", "one\ntheirs\ntwo\n\n"
    assert landing(before, wanted, "one\ntheirs\nmore\ntwo\n\n\n") == "beside"
    assert landing(before, wanted, "one\nmine\nmore\ntwo\n\n\n") == "absent"


def test_a_text_with_the_words_of_the_change_is_formatted_where_the_text_is_saved() -> None:
    current = WANTED.replace("line 8", "line (8)")
    assert landing(BASE, WANTED, current) == "beside"
    assert landing(BASE, WANTED, current, is_saved=True) == "formatted"


def test_a_change_of_the_final_newline_alone_is_seen() -> None:
    assert landing("a\n", "a", "a") == "landed"
    assert landing("a\n", "a", "a\n") == "absent"


@given(lf_texts, lf_texts, lf_texts)
def test_a_text_without_any_line_of_the_change_never_holds_the_change(before: str, wanted: str, current: str) -> None:
    marked = wanted + "only the agent writes this\n"
    assert landing(before, marked, current) == "absent"


@given(lf_texts, lf_texts)
def test_the_wanted_text_has_landed_and_the_old_text_has_not(before: str, wanted: str) -> None:
    assert landing(before, wanted, wanted) == "landed"
    if before != wanted:
        assert landing(before, wanted, before) == "absent"


def test_the_words_of_the_change_typed_elsewhere_are_no_formatted_change() -> None:
    before = "".join(f"line {number}\n" for number in range(12))
    wanted = before.replace("line 5", "agent 5")
    typed = before.replace("line 9", "agent 9")
    assert sorted(typed.split()) == sorted(wanted.split()), "the same words"
    assert landing(before, wanted, typed) == "absent"
    assert landing(before, wanted, typed, is_saved=True) == "absent"
    sorted_by_formatter = "agent 5\n" + before.replace("line 5\n", "")
    assert landing(before, wanted, sorted_by_formatter, is_saved=True) == "formatted"
