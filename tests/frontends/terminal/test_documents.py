"""`placet docs`: the pages that messages name are there to read."""

import re
from pathlib import Path

import pytest

from placet.__main__ import main
from placet.frontends.terminal.shipped import documents

ROOT = Path(__file__).parents[3]


def test_each_page_of_the_documentation_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs"]) == 0
    listed = capsys.readouterr().out
    for page in (ROOT / "docs").glob("*.md"):
        assert f"  {page.stem.lower()}\n" in listed


@pytest.mark.parametrize("name", ["sandbox", "SANDBOX", "docs/SANDBOX.md"])
def test_a_page_is_printed_whole_into_a_pipe(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs", name]) == 0
    assert capsys.readouterr().out == (ROOT / "docs" / "SANDBOX.md").read_text("utf-8").rstrip("\n") + "\n"


def test_a_misspelled_page_is_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs", "sandbax"]) == 2
    assert "did you mean sandbox?" in capsys.readouterr().err


def test_every_page_that_a_message_names_is_a_page() -> None:
    named = {
        name
        for file in (ROOT / "daemon" / "placet").rglob("*")
        if file.suffix in (".py", ".md")
        for name in re.findall(r"`placet docs ([a-z-]+)`", file.read_text("utf-8"))
    }
    assert {"mcp", "sandbox"} <= named
    assert named <= set(documents())
