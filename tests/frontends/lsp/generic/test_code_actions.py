"""What the editor offers for a diagnostic and for a selection."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from placet.frontends.lsp.generic.code_actions import code_actions
from placet.frontends.lsp.protocol.standard import dump, read

ROOT = Path("/project")


def span(start: int, end: int, *, to: int = 4) -> dict[str, Any]:
    return {"start": {"line": start, "character": 0}, "end": {"line": end, "character": to}}


def asked(*diagnostics: Any, at: Any = None, path: str = "src/a.py", **context: Any) -> list[dict[str, Any]]:
    params = {
        "textDocument": {"uri": (ROOT / path).as_uri()},
        "range": at or {"start": {"line": 2, "character": 1}, "end": {"line": 2, "character": 1}},
        "context": {"diagnostics": list(diagnostics), **context},
    }
    return offered(params, [ROOT])


def offered(params: dict[str, Any], roots: list[Path]) -> list[dict[str, Any]]:
    """The answer to the request, as it goes over the wire."""
    return dump(code_actions(read(types.CodeActionParams, params), roots))


WRONG = {"range": span(2, 2), "message": "`os` imported\nbut unused", "source": "Ruff", "code": "F401"}


def test_a_diagnostic_can_be_fixed_and_explained() -> None:
    fix, explain = asked(WRONG)
    assert fix["title"] == "Fix with Placet: `os` imported but unused"
    assert (fix["kind"], fix["diagnostics"]) == ("quickfix", [WRONG])
    assert fix["command"]["command"] == "placet.prompt"
    assert fix["command"]["arguments"] == ["Fix this problem in @src/a.py#L3: `os` imported but unused (Ruff F401)"]
    assert explain["command"]["arguments"][0].startswith("Explain this problem in @src/a.py#L3: ")


@pytest.mark.parametrize(
    ("at", "place"),
    [(span(0, 4), "@src/a.py#L1-5"), (span(0, 4, to=0), "@src/a.py#L1-4"), (span(1, 1), "@src/a.py#L2")],
)
def test_a_selection_can_be_explained(at: dict[str, Any], place: str) -> None:
    [explain] = asked(at=at)
    assert explain["command"]["arguments"] == [f"Explain {place}."]


def test_without_either_there_is_nothing_to_offer() -> None:
    assert asked() == []


def test_a_path_with_a_space_is_quoted_and_one_outside_is_whole() -> None:
    assert '@"my file.py#L3"' in asked(WRONG, path="my file.py")[0]["command"]["arguments"][0]
    params = {"textDocument": {"uri": "file:///other/b.py"}, "range": span(0, 1), "context": {}}
    assert offered(params, [ROOT])[0]["command"]["arguments"] == ["Explain @/other/b.py#L1-2."]
    assert offered({**params, "textDocument": {"uri": "untitled:1"}}, [ROOT]) == []
    second = {**params, "textDocument": {"uri": "file:///second/src/a.py"}}
    [explain] = offered(second, [ROOT, Path("/second")])
    assert explain["command"]["arguments"] == ["Explain @/second/src/a.py#L1-2."]


def test_only_the_kinds_that_are_wanted_are_offered() -> None:
    assert [one["kind"] for one in asked(WRONG, at=span(0, 4), only=["refactor"])] == ["refactor"]
    assert len(asked(WRONG, at=span(0, 4), only=["quickfix"])) == 2
    assert asked(WRONG, only=["source.organizeImports"]) == []
    assert len(asked(WRONG, only=[""])) == 2


def test_a_malformed_diagnostic_of_another_server_keeps_no_other_from_being_mended() -> None:
    no_message = {"range": span(2, 2)}
    markdown = {"range": span(2, 2), "message": {"kind": "markdown", "value": "x"}}
    assert len(asked(no_message, markdown, WRONG, 5)) == 2


def test_of_many_diagnostics_the_first_have_actions() -> None:
    assert len(asked(*[WRONG] * 20)) == 10
