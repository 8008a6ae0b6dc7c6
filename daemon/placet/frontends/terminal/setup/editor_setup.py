"""State of an editor's setup on this machine: the snippet to paste, the place of the snippet, and obstacles."""

import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from placet.frontends.terminal.setup.editor_text import EditorText
from placet.project.processes.programs import find_program

VERSION_SECONDS = 5


@dataclass(frozen=True, slots=True)
class EditorSetup:
    """State of an editor's setup on this machine."""

    editor: str
    snippet: str
    place: str
    """File for the snippet: the first of the usual files that exists, else the file to be made."""
    program: str | None
    """Path of the editor's command on PATH, or None."""
    version: str | None
    """Version as told by the editor."""
    placet: str | None
    """Path of Placet's own command on PATH, as the editor would find the command."""
    is_set_up: bool
    """True if any of the usual files holds the mark of the snippet."""

    @property
    def problems(self) -> list[str]:
        problems: list[str] = []
        if self.placet is None:
            problems.append("`placet` is not on PATH: install Placet, or put the full path into the snippet.")
        if self.program is None:
            problems.append("The editor was not found on PATH.")
        return problems

    @property
    def program_text(self) -> str:
        return "not found" if self.program is None else f"{self.program} ({self.version or 'version unknown'})"

    def data(self) -> dict[str, Any]:
        """Return the state for JSON."""
        return {**asdict(self), "problems": self.problems}


def find(editor: EditorText, home: Path) -> EditorSetup:
    """Find the editor's setup on this machine.

    Blocks until the editor has said the version, or VERSION_SECONDS are over.
    """
    program = next((path for name in editor.programs if (path := find_program(name)) is not None), None)
    places = [home / place for place in (editor.place, *editor.also)]
    return EditorSetup(
        editor=editor.name,
        snippet=editor.snippet,
        place=str(next((place for place in places if place.is_file()), places[0])),
        program=program,
        version=None if program is None else _version(program),
        placet=find_program("placet"),
        is_set_up=any(editor.mark in _text(place) for place in places),
    )


def setup_lines(editor: EditorText, editor_setup: EditorSetup) -> list[str]:
    """Return the lines that tell the user the setup."""
    verb = (
        "The snippet, or a similar one, is already present. The snippet belongs in"
        if editor_setup.is_set_up
        else "Paste this into"
    )
    lines = [f"{editor.title}: {editor_setup.program_text}", f"placet: {editor_setup.placet or 'not found'}"]
    lines += [
        "",
        f"{verb} {editor_setup.place}:",
        "",
        editor_setup.snippet.rstrip("\n"),
        "",
        editor.use,
        "",
        editor.limits,
    ]
    lines += ["", *(f"! {problem}" for problem in editor_setup.problems)] if editor_setup.problems else []
    return [line for text in lines for line in text.split("\n")]


def _version(program: str) -> str | None:
    """Return the first line of the program's `--version`, or None."""
    try:
        done = subprocess.run(
            [program, "--version"],
            capture_output=True,
            timeout=VERSION_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return next((line.strip() for line in done.stdout.splitlines() if line.strip()), None)


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", errors="replace")
    except OSError:
        return ""
