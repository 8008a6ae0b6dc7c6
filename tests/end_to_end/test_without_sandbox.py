"""A machine whose kernel forbids namespaces: each front end tells the user once, in the real process."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fake_editor.client import DaemonEditor, daemon
from fake_editor.profiles import HELIX, VSCODE, EditorProfile
from listen_support import home
from run_support import PLACET, Place, Terminal
from time_support import wait_seconds

# In a namespace in which no further namespace can be made.
BARRED = ("bwrap", "--dev-bind", "/", "/", "--unshare-user", "--disable-userns", "--")

CAUSE = "bubblewrap cannot make its namespaces here."
TURNS = [{"call": "bash", "arguments": {"command": "ls"}}], [{"text": "Done."}]


def has_barred() -> bool:
    """Return whether the system can play a machine without namespaces."""
    try:
        return subprocess.run([*BARRED, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("bwrap") or not has_barred(), reason="needs bubblewrap 0.8 or later"
)


def notices(desk: DaemonEditor) -> list[str]:
    return [message for message in desk.messages() if "sandbox" in message]


async def prompted(desk: DaemonEditor) -> None:
    """Run a turn with a command that only reads, so that nobody is asked."""
    assert (await desk.prompt(await desk.new_session(), "Look."))["stopReason"] == "end_turn"


@pytest.mark.parametrize("profile", [VSCODE, HELIX], ids=["plugin", "generic"])
async def test_an_editor_shows_the_lack_of_a_sandbox_at_the_first_command_and_never_again(
    tmp_path: Path, profile: EditorProfile
) -> None:
    project, script = tmp_path / "project", tmp_path / "script.json"
    project.mkdir()
    script.write_text(json.dumps({"turns": [{"events": events} for events in TURNS]}))
    settings: dict[str, Any] = {"model": f"scripted/{script}", "sandbox": {"mode": "auto"}}
    shown: list[list[str]] = []
    for _ in range(2):
        async with daemon(profile, project, tmp_path, command=(*BARRED, *PLACET, "--stdio"), **settings) as desk:
            assert notices(desk) == []
            for _ in range(2):
                await prompted(desk)
            shown.append(notices(desk))

    [first], later = shown
    assert first.startswith("Placet: ")
    assert CAUSE in first
    assert "`placet doctor` says more." in first
    assert later == []


async def test_of_two_editors_at_a_daemon_the_prompting_editor_is_told(tmp_path: Path) -> None:
    async with home(tmp_path, *TURNS) as place:
        place.set(sandbox={"mode": "auto"})
        command = (*BARRED, *PLACET, "--stdio")
        async with (
            daemon(VSCODE, place.project, tmp_path, command=command) as first,
            daemon(VSCODE, place.project, tmp_path, command=command) as second,
        ):
            await prompted(second)
            await prompted(first)

            assert [len(notices(desk)) for desk in (first, second)] == [0, 1]


def test_a_run_tells_it_once_on_a_line_of_stderr(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.environment["PLACET_MODEL"] = place.script(*TURNS)
    command = [*BARRED, *PLACET, "run", "--json", "Look.", "--cwd", str(place.project)]
    first, later = (
        subprocess.run(
            command, capture_output=True, text=True, env=place.environment, timeout=wait_seconds(), check=False
        )
        for _ in range(2)
    )

    assert (first.returncode, later.returncode) == (0, 0), first.stderr
    [line] = [line for line in first.stderr.splitlines() if "sandbox" in line]
    assert line.startswith("placet: ")
    assert CAUSE in line
    assert "sandbox" not in later.stderr


def test_a_terminal_shows_it_between_the_words_of_the_model(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.environment["PLACET_MODEL"] = place.script([{"text": "I look."}, *TURNS[0]], TURNS[1])
    terminal = Terminal(place, "run", "Look.", before=BARRED)
    terminal.wait_for("Done.")

    assert terminal.end() == 0
    # The sign of life may have stood on a line before; what came behind the last return is what the line shows.
    lines = [line.rstrip("\r").rpartition("\r")[2] for line in terminal.shown.split("\n")]
    assert any(line.startswith("placet: ") and CAUSE in line for line in lines), lines
