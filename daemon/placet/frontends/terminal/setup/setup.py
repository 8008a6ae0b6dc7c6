"""`placet setup EDITOR`: print the snippet to paste, check the present setup, and report obstacles."""

import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

from placet.frontends.terminal.output import complain, say_json, say_lines
from placet.frontends.terminal.setup.editor_text import EditorText
from placet.frontends.terminal.setup.editor_texts import EDITORS
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


def setup(name: str, *, as_json: bool) -> int:
    """Print the setup; return 0 unless the editor could not start Placet."""
    editor = EDITORS[name]
    try:
        home = Path.home()
    except RuntimeError:
        complain("this user has no home directory: set HOME")
        return 2
    editor_setup = find(editor, home)
    if as_json:
        say_json({**asdict(editor_setup), "problems": editor_setup.problems})
    else:
        say_lines(_setup_text(editor, editor_setup).rstrip("\n").split("\n"))
    return 0 if editor_setup.placet is not None else 1


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


def _setup_text(editor: EditorText, editor_setup: EditorSetup) -> str:
    verb = (
        "The snippet, or a similar one, is already present. The snippet belongs in"
        if editor_setup.is_set_up
        else "Paste this into"
    )
    program = (
        "not found"
        if editor_setup.program is None
        else f"{editor_setup.program} ({editor_setup.version or 'version unknown'})"
    )
    lines = [f"{editor.title}: {program}", f"placet: {editor_setup.placet or 'not found'}"]
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
    return "\n".join(lines) + "\n"


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
