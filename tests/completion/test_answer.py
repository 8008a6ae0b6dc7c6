"""The way of a raw answer to the text that is shown: a table of documents, answers and texts, and properties."""

from hypothesis import given
from hypothesis import strategies as st

from completion.answer_rows import ROWS
from completion_support import CURSOR, context_at
from corpus_support import rows
from placet.completion.answer import AnswerContext, may_ask_here, shown_text
from placet.completion.answer_cleaning import Unusable


def shown(marked: str, raw: str, language: str = "python", manner: str = "") -> str | None:
    asked = AnswerContext(
        context_at(marked),
        language,
        is_asked=manner == "asked",
        is_chat=manner == "chat",
        is_cut_off=manner == "cut off",
    )
    try:
        return shown_text(raw, asked)
    except Unusable:
        return None


def test_each_raw_answer_becomes_the_expected_text():
    assert len(ROWS) >= 200
    with rows() as failures:
        for language, marked, raw, expected, *manner in ROWS:
            with failures.row(f"{language}: {marked!r} with {raw[:100]!r}"):
                assert shown(marked, raw, language, *manner) == expected


def test_a_suggestion_fits_in_the_middle_of_a_line_only_before_closing_signs():
    with rows() as failures:
        for rest, fits in (("", True), (")", True), ("]);", True), ("',", True), ('"):', True), ("  ", True)):
            with failures.row(rest):
                assert may_ask_here(context_at(f"f({CURSOR}{rest}")) is fits
        for rest in ("a)", "foo", ") + 1", "= 2", "."):
            with failures.row(rest):
                assert not may_ask_here(context_at(f"f({CURSOR}{rest}"))


def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    wrapped = [inner.map(form.format) for form in ("f({})", "[{}]", "{{\n  {}\n}}")]
    return st.one_of(*wrapped, st.tuples(inner, inner).map(", ".join))


BALANCED = st.recursive(st.sampled_from(["a", "1", "a.b", "x + y", ""]), nested, max_leaves=8)


@given(BALANCED, st.data())
def test_no_closing_bracket_is_doubled_however_much_the_model_closes(text: str, data: st.DataObject):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    extra = data.draw(st.sampled_from(["", ")", "]", "}", "\n}", ")]}", text[end:], f"{text[end:]}\n{text[end:]}"]))
    item = shown(f"{text[:start]}{CURSOR}{text[end:]}", text[start:end] + extra, "javascript")
    if item is not None:
        assert len(stray(text[:start] + item + text[end:])) <= len(stray(text[:start] + text[end:]))


def stray(text: str) -> list[str]:
    """The closing brackets without a partner, counted by hand."""
    stack: list[str] = []
    left: list[str] = []
    pairs = {")": "(", "]": "[", "}": "{"}
    for character in text:
        if character in "([{":
            stack.append(character)
        elif character in pairs:
            if stack and stack[-1] == pairs[character]:
                stack.pop()
            else:
                left.append(character)
    return left


@given(
    st.text(alphabet="ab()[]{}\"'`#/ \n\r\t😀<|>", max_size=60), st.text(alphabet="ab()[]{}\"'` \n\r\t😀`", max_size=60)
)
def test_any_answer_ends_as_text_without_blank_ends_or_as_silence(document: str, raw: str):
    with rows() as failures:
        for place in range(0, len(document) + 1, 7):
            with failures.row(f"{place}"):
                item = shown(document[:place] + CURSOR + document[place:], raw, "javascript")
                assert item is None or (item.strip() and item == item.rstrip() and "\r" not in item)
