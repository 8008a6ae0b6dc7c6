import pytest

from corpus_support import corpus
from placet.core.errors import SettingsError
from placet.frontends.terminal.run.schema_check import Fit, OutputSchema, Unfit, read_output_schema

LINES = {"type": "object", "required": ["lines"], "properties": {"lines": {"type": "integer", "minimum": 0}}}


@corpus(
    "answer",
    ['{"lines": 3}', ' {"lines": 3}\n', '```json\n{"lines": 3}\n```', 'It is:\n\n```\n{"lines": 3}\n```\nSo it is.'],
)
def test_the_value_is_found(answer):
    assert OutputSchema(LINES, "it").judge(answer) == Fit({"lines": 3})


@corpus(
    ("answer", "said"),
    [
        ("Three.", "it is not JSON"),
        ('{"lines": NaN}', "NaN is no JSON"),
        ("```\n1\n```\n```\n2\n```", "it is not JSON"),
        ("{}", "'lines' is a required property"),
        ('{"lines": -1}', "at $.lines, -1 is less than the minimum"),
    ],
)
def test_what_is_wrong_is_said(answer, said):
    judged = OutputSchema(LINES, "it").judge(answer)

    assert isinstance(judged, Unfit)
    assert said in judged.reason
    assert judged.reason in OutputSchema(LINES, "it").retry_text(judged)


def test_a_schema_that_is_none_is_refused():
    with pytest.raises(SettingsError, match="it is not a JSON Schema"):
        OutputSchema({"type": "number of lines"}, "it")


def test_what_a_schema_refers_to_is_never_fetched():
    with pytest.raises(SettingsError, match="refers to something outside the schema"):
        OutputSchema({"$ref": "https://example.invalid/schema.json"}, "it").judge("1")


def test_a_file_that_is_not_json_is_named(tmp_path):
    (tmp_path / "schema.json").write_text("lines")
    with pytest.raises(SettingsError, match=r"schema\.json is not JSON"):
        read_output_schema(tmp_path / "schema.json")
