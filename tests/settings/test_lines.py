import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from placet.settings.lines import key_lines

TEXT = """{
  // "no": 1
  "permission": {"edit": "ask",
    "bash": {
      "a\\"b: {": "deny", /* "neither": {
      */ "*": [{"x": 1}, "y"]
    }
  },

  "\\u0061": {}
}"""


def test_every_key_is_found_at_its_line() -> None:
    assert key_lines(TEXT) == {
        ("permission",): 3,
        ("permission", "edit"): 3,
        ("permission", "bash"): 4,
        ("permission", "bash", 'a"b: {'): 5,
        ("permission", "bash", "*"): 6,
        ("permission", "bash", "*", "", "x"): 6,
        ("a",): 10,
    }


TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=4),
)


def paths(value: Any, above: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Of every key that is not within a list, as they are written."""
    if not isinstance(value, dict):
        return []
    return [path for key, inner in value.items() for path in ((*above, key), *paths(inner, (*above, key)))]


@given(st.dictionaries(st.text(), TREES, max_size=4))
def test_every_key_of_any_json_has_a_line_that_holds_it(tree: dict[str, Any]) -> None:
    text = json.dumps(tree, indent=2)
    lines, found = text.split("\n"), key_lines(text)
    for path in paths(tree):
        assert lines[found[path] - 1].strip().startswith(json.dumps(path[-1]))
    assert [found[path] for path in paths(tree)] == sorted(found[path] for path in paths(tree))
