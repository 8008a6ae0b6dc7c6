import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.settings import jsonc

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)
NOISE = st.sampled_from(["", " ", "\n", '// a " } ,\n', '/* , ] \n " */', "/**/"])


@given(VALUES, st.data())
def test_what_is_json_between_comments_is_what_it_is_without_them(value: object, data: st.DataObject) -> None:
    text = ""
    for token in json.JSONEncoder(ensure_ascii=False).iterencode(value):
        text += data.draw(NOISE) + token
    assert jsonc.parse(text + data.draw(NOISE)) == value


@corpus("text", ["[1, /* a */ ]", '{"a": "//,}",\n}', '["/*", "*/",]'])
def test_a_trailing_comma_is_taken_and_texts_are_left_alone(text: str) -> None:
    assert jsonc.parse(text) == json.loads(
        text.replace("/* a */ ", "").replace(", ]", "]").replace(",\n}", "}").replace(",]", "]")
    )


@corpus("text", ["[1,,]", '{"a": 1 "b": 2}', "", "/* no end"])
def test_what_is_wrong_is_told_by_its_place(text: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        jsonc.parse(text)
    with pytest.raises(json.JSONDecodeError) as error:
        jsonc.parse("// a comment,\n/* b\n*/" + text)
    assert error.value.lineno >= 3


@corpus("text", ["[" * 100_000, "[" * 100 + "]" * 100, '{"a":' * 100 + "1" + "}" * 100])
def test_what_is_nested_too_deeply_is_a_mistake_in_the_text(text: str) -> None:
    with pytest.raises(ValueError, match="nested more than"):
        jsonc.parse(text)
