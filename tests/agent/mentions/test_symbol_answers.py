from typing import Any

from placet.agent.mentions.symbol_answers import read_symbols
from placet.core.messages import LineRange


def span(first: int, last: int, character: int = 4) -> dict[str, Any]:
    return {"start": {"line": first, "character": 0}, "end": {"line": last, "character": character}}


def test_an_outline_is_read_in_its_order_with_what_each_stands_in() -> None:
    answer = [
        {
            "name": "Box",
            "kind": 5,
            "range": span(0, 9),
            "children": [{"name": "open(lid)", "kind": 6, "range": span(2, 4)}],
        },
        {"name": "main", "kind": 12, "range": span(10, 12, 0)},
    ]

    box, opened, main = read_symbols(answer)

    assert (box.name, box.kind, box.lines) == ("Box", 5, LineRange(start=1, end=10))
    assert (opened.name, opened.container, opened.lines) == ("open", "Box", LineRange(start=3, end=5))
    assert main.lines == LineRange(start=11, end=12)


def test_symbols_of_the_workspace_are_read_with_and_without_a_range() -> None:
    answer = [
        {
            "name": "greet",
            "kind": 12,
            "containerName": "hello",
            "location": {"uri": "file:///a.py", "range": span(3, 3)},
        },
        {"name": "greet", "kind": 12, "location": {"uri": "file:///b.py"}},
    ]

    first, second = read_symbols(answer)

    assert (first.uri, first.container, first.lines.start) == ("file:///a.py", "hello", 4)
    assert (second.uri, second.container) == ("file:///b.py", "")


def test_what_is_malformed_is_left_out() -> None:
    assert list(read_symbols(None)) == []
    assert list(read_symbols({"name": "x"})) == []
    assert list(read_symbols([3, {}, {"name": ""}])) == []
    [one] = read_symbols([{"name": "x", "kind": "odd", "range": {"start": 3}}])
    assert (one.kind, one.lines) == (0, LineRange(start=1, end=1))
