"""`placet setup vscode`: install the extension that comes with Placet into VS Code or an editor built from VS Code."""

import subprocess
from dataclasses import replace
from pathlib import Path

from placet.frontends.terminal.output import complain, say, say_json, say_lines
from placet.frontends.terminal.setup.editor_setup import EditorSetup, find
from placet.frontends.terminal.setup.editor_texts import VSCODE
from placet.frontends.terminal.shipped import vscode_extension
from placet.project.processes.programs import find_program

INSTALL_SECONDS = 120
LIST_SECONDS = 20
EXTENSION = "placet.placet"
"""Id of the extension: the publisher and the name of clients/vscode/package.json."""


def setup_vscode(home: Path, *, as_json: bool) -> int:
    """Install the extension; return 0, or 1 if the extension was not installed."""
    extension = vscode_extension()
    commands = [] if extension is None else [_command(program, extension) for program in _programs()]
    state = replace(find(VSCODE, home), snippet="" if find_program("placet") else VSCODE.snippet)
    if as_json:
        extension_text = None if extension is None else str(extension)
        say_json({**state.data(), "extension": extension_text, "commands": commands})
        return 0
    say_lines([f"VS Code: {state.program_text}", f"placet: {state.placet or 'not found'}"])
    if extension is None:
        complain("this installation lacks the VS Code extension: in a checkout, run `make vscode` first")
        return 1
    say_lines([f"extension: {extension}", ""])
    if not commands:
        complain(f"no VS Code was found on PATH: in VS Code, run `Extensions: Install from VSIX...` on {extension}")
        return 1
    return _install(commands, state)


def vscode_state(home: Path) -> EditorSetup:
    """Return the state on this machine: the extension counts, which the editor itself lists. Blocks."""
    return replace(find(VSCODE, home), is_set_up=any(map(_has_extension, _programs())))


def _has_extension(program: str) -> bool:
    """Return whether the editor lists the extension: `--list-extensions` prints an id on each line."""
    try:
        done = _run([program, "--list-extensions"], LIST_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return EXTENSION in done.stdout.lower().split()


def _run(command: list[str], seconds: float) -> subprocess.CompletedProcess[str]:
    """Run the editor's command to its end, without input. Raises OSError and TimeoutExpired. Blocks."""
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=seconds,
        check=False,
        text=True,
        encoding="utf-8",
        errors="replace",
    )


def _programs() -> list[str]:
    return [path for name in VSCODE.programs if (path := find_program(name)) is not None]


def _command(program: str, extension: Path) -> list[str]:
    """Return the command line: https://code.visualstudio.com/docs/configure/command-line, `--install-extension`."""
    return [program, "--install-extension", str(extension), "--force"]


def _install(commands: list[list[str]], state: EditorSetup) -> int:
    """Install into the first editor, and name the commands for the others."""
    say(f"$ {subprocess.list2cmdline(commands[0])}")
    try:
        done = _run(commands[0], INSTALL_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        complain(f"the extension was not installed: {error}")
        return 1
    say_lines(line for line in (done.stdout + done.stderr).splitlines() if line.strip())
    if done.returncode != 0:
        complain(f"the extension was not installed: exit code {done.returncode}")
        return 1
    if state.snippet:
        say_lines(["", f"`placet` is not on PATH. Put this into {state.place}:", "", *state.snippet.splitlines()])
    if commands[1:]:
        say_lines(["", "For your other editors:", *(f"  {subprocess.list2cmdline(line)}" for line in commands[1:])])
    return 0
