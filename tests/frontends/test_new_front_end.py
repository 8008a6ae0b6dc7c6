"""A front end is one folder and one row: the command line starts it, and the help names it."""

import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from placet import frontends
from placet.__main__ import main
from placet.command_line.parser import parser
from placet.frontends import FRONT_ENDS

START = """
def main(arguments):
    print("served", *arguments)
    return 5
"""


@pytest.fixture
def echo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """A front end in a folder of its own."""
    (tmp_path / "echo").mkdir()
    (tmp_path / "echo" / "__init__.py").touch()
    (tmp_path / "echo" / "start.py").write_text(START, "utf-8")
    monkeypatch.setattr(frontends, "__path__", [*frontends.__path__, str(tmp_path)])
    monkeypatch.setitem(FRONT_ENDS, "--echo", ("echo", "run as an echo"))
    yield
    for name in ("placet.frontends.echo.start", "placet.frontends.echo"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("echo")
def test_a_new_front_end_is_started_by_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--echo", "--loud"]) == 5
    assert capsys.readouterr().out == "served --loud\n"


@pytest.mark.usefixtures("echo")
def test_the_help_names_a_new_front_end() -> None:
    assert "run as an echo" in parser().format_help()
