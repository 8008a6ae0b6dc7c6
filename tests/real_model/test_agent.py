"""An agent with the real model at work, by the command of the terminal: reads, a staged change, a command.

The change is made in the profile of so small a model, and the calls in the profile `small`.
"""

import asyncio
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from model_support.local_engine import MODEL
from placet.settings import Locations
from real_model.machine import RealMachine, missing

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800), pytest.mark.skipif(missing() != "", reason=missing())]
MEAN = "def mean(xs):\n    return sum(xs) / len(xs)\n"


class Terminal:
    """User at a terminal, in a project."""

    def __init__(self, directory: Path) -> None:
        self.machine = RealMachine(directory)
        self.project = directory / "project"
        (self.project / ".git").mkdir(parents=True)
        names = ("config", "data", "cache", "state")
        self.environment = {**self.machine.environment}
        self.environment |= {f"XDG_{name.upper()}_HOME": str(directory / name) for name in names}
        self.locations = Locations(*(directory / name / "placet" for name in names))
        self.machine.put_model(self.locations.local_models)
        self.locations.config.mkdir(parents=True)
        options = {"temperature": 0}
        (self.locations.config / "placet.json").write_text(
            json.dumps({"model": MODEL.full_name, "modelOptions": options}), "utf-8"
        )

    async def placet(self, *arguments: str) -> str:
        """Run the command, and return the output. The command must succeed."""
        child = await asyncio.create_subprocess_exec(
            str(Path(sys.executable).with_name("placet")),
            *arguments,
            cwd=self.project,
            env=self.environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await child.communicate()
        text = output.decode()
        assert child.returncode == 0, text
        return text


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path)


async def test_a_change_is_staged_and_the_user_accepts_the_change(terminal: Terminal):
    file = terminal.project / "calc.py"
    file.write_text(MEAN)
    told = await terminal.placet("run", "--review", "stage", "In calc.py, make mean() return 0 for an empty list.")
    assert "Loading " in told
    assert file.read_text() == MEAN
    await terminal.placet("review", "--accept")
    names: dict[str, Callable[[list[int]], float]] = {}
    exec(file.read_text(), names)
    assert (names["mean"]([]), names["mean"]([1, 3])) == (0, 2)


async def test_the_model_reads_a_file_by_a_call(terminal: Terminal):
    (terminal.project / "calc.py").write_text(MEAN)
    told = await terminal.placet("run", "--profile", "small", "Read the file calc.py. Which function does it define?")
    assert re.search(r"^ +read +calc.py", told, re.MULTILINE), told
    assert "mean" in told


async def test_the_model_runs_a_command_by_a_call(terminal: Terminal):
    prompt = "Run the command echo one-two-three"
    told = await terminal.placet("run", "--profile", "small", "--allow", "bash", prompt)
    assert re.search(r"^ +bash +echo one-two-three", told, re.MULTILINE), told
