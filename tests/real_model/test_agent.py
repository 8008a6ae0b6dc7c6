"""An agent with the real model at work, by the command of the terminal: reads, a staged change, a command.

The agents here have short prompts and one tool each: the tests are about Placet, and not about the model's talent.
"""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from model_support.local_engine import MODEL
from placet.settings import Locations
from real_model.machine import RealMachine, missing

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800), pytest.mark.skipif(missing() != "", reason=missing())]

AGENTS = {
    "reader": ("Read", "You answer about files. First call the tool read once. Then answer in one sentence."),
    "writer": ("Write", "You write files. Call the tool write once. Then say only: done."),
    "shell": (
        "Bash",
        'You run commands. Call the tool bash once, with the arguments {"command": "...", "description": "..."} and '
        "no other argument. Then say what the command printed.",
    ),
}


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
        agents = self.locations.config / "agents"
        agents.mkdir(parents=True)
        for name, (tool, prompt) in AGENTS.items():
            (agents / f"{name}.md").write_text(
                f"---\ndescription: Small.\ntemperature: 0\ntools: {tool}\n---\n{prompt}\n", "utf-8"
            )
        hidden = {name: {"disable": True} for name in ("title", "summary")}
        (self.locations.config / "placet.json").write_text(json.dumps({"model": MODEL.full_name, "agent": hidden}))

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


async def test_the_agent_reads_a_file(terminal: Terminal):
    (terminal.project / "calc.py").write_text("def mean(xs):\n    return sum(xs) / len(xs)\n")
    told = await terminal.placet("run", "--agent", "reader", "Which function does calc.py define? Read calc.py.")
    assert "read  calc.py" in told
    assert "mean" in told


async def test_the_agent_stages_a_change_and_the_user_accepts_the_change(terminal: Terminal):
    prompt = "Write the file hello.txt with the content: hello from the model"
    told = await terminal.placet("run", "--agent", "writer", "--review", "stage", prompt)
    assert not (terminal.project / "hello.txt").exists(), told
    await terminal.placet("review", "--accept")
    assert "hello from the model" in (terminal.project / "hello.txt").read_text()


async def test_the_agent_runs_a_command(terminal: Terminal):
    told = await terminal.placet("run", "--agent", "shell", "--allow", "bash", "Run the command: echo one-two-three")
    assert "one-two-three" in told.partition("bash")[2]
