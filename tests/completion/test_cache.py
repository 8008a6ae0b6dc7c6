"""Kept answers: the user types along, deletes and retypes; rejected texts do not come again."""

from completion_support import context_at
from corpus_support import corpus
from placet.completion.cache import AnswerCache, Answered, typed_along
from placet.completion.rejections import MOST_DOCUMENTS, MOST_TEXTS, Rejections

ABOVE = "import os\n\n" + "x = 1\n" * 100


def cached(marked: str, text: str) -> AnswerCache:
    cache = AnswerCache()
    cache.put("file:///a.py", context_at(marked), Answered(text))
    return cache


@corpus(
    ("marked", "rest"),
    [
        ("x = ¦\n", "foo(1)"),
        ("x = f¦\n", "oo(1)"),
        ("x = foo¦\n", "(1)"),
        ("x = foo(1¦\n", ")"),
        ("x = foo(¦)\n", "1)"),
        ("x = foo(1)¦\n", None),
        ("x = g¦\n", None),
        ("x =¦\n", None),
        ("x = ¦)\n", None),
        ("y = ¦\n", None),
        ("x = ¦\nz\n", None),
    ],
)
def test_the_rest_of_an_answer_is_found_while_the_user_types_along(marked: str, rest: str | None):
    found = cached(f"{ABOVE}x = ¦\n", "foo(1)").find("file:///a.py", context_at(ABOVE + marked))
    assert (found.text if found else None) == rest


def test_a_character_that_was_deleted_and_retyped_finds_the_answer_again():
    cache = cached(f"{ABOVE}x = f¦\n", "oo(1)")
    assert cache.find("file:///a.py", context_at(f"{ABOVE}x = ¦\n")) is None
    found = cache.find("file:///a.py", context_at(f"{ABOVE}x = f¦\n"))
    assert found is not None
    assert found.text == "oo(1)"


def test_an_answer_belongs_to_its_document():
    assert cached("x = ¦\n", "1").find("file:///b.py", context_at("x = ¦\n")) is None


def test_the_least_recently_used_answer_goes_first():
    cache = AnswerCache(most=2)
    for name in ("a", "b"):
        cache.put("u", context_at(f"{name} = ¦"), Answered(name))
    assert cache.find("u", context_at("a = ¦")) is not None
    cache.put("u", context_at("c = ¦"), Answered("c"))
    assert cache.find("u", context_at("b = ¦")) is None
    assert cache.find("u", context_at("a = ¦")) is not None


def test_an_answer_without_text_is_known_too():
    answer = Answered("")
    assert typed_along(answer, "") == answer
    assert typed_along(answer, "a") is None


def test_a_rejected_text_does_not_come_again_until_the_line_changes():
    rejections = Rejections()
    rejections.add("u", context_at("a\nx = ¦\n"), "foo(1)")
    assert rejections.hold("u", context_at("a\nx = ¦\n"), "foo(1)")
    assert rejections.hold("u", context_at("a\nx = f¦\n"), "oo(1)"), "the same line, with a part typed"
    assert rejections.hold("u", context_at("new line\na\nx = ¦\n"), "foo(1)"), "lines elsewhere"
    assert not rejections.hold("u", context_at("a\nx = ¦\n"), "bar(1)")
    assert not rejections.hold("u", context_at("b\nx = ¦\n"), "foo(1)"), "another line above"
    assert not rejections.hold("u", context_at("a\nx = ¦ + 1\n"), "foo(1)"), "another rest of the line"
    assert not rejections.hold("v", context_at("a\nx = ¦\n"), "foo(1)"), "another document"
    rejections.forget("u")
    assert not rejections.hold("u", context_at("a\nx = ¦\n"), "foo(1)")


def test_the_memory_of_rejections_is_bounded():
    rejections = Rejections()
    for number in range(MOST_TEXTS + 1):
        rejections.add("u", context_at("x = ¦"), f"{number}")
    assert not rejections.hold("u", context_at("x = ¦"), "0")
    assert rejections.hold("u", context_at("x = ¦"), f"{MOST_TEXTS}")
    for number in range(MOST_DOCUMENTS):
        rejections.add(f"{number}", context_at("x = ¦"), "1")
    assert not rejections.hold("u", context_at("x = ¦"), f"{MOST_TEXTS}")
