"""Agents that run one prompt from a shell: Placet on each wire, and codex and claude where they are on PATH."""

import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from wire_servers.answers import Answer, Call, Text, Wait
from wire_servers.server import RecordedRequest, WireServer

_RUN_SECONDS = 300
_PROMPT = "Look at the project."


@dataclass(frozen=True, slots=True)
class ToolCalls:
    """Calls of an agent's own tools for the same work."""

    read: Callable[[Path, int], Call]
    """Call that reads so many lines of a file."""
    edit: Callable[[Path, str, str], Call]
    shell: Callable[[str], Call]
    grep: Callable[[str], Call]
    glob: Callable[[str], Call]


@dataclass(frozen=True, slots=True)
class Agent:
    """Command line of an agent that asks the local server."""

    name: str
    command: Callable[[WireServer], Sequence[str]]
    environment: Callable[[WireServer], Mapping[str, str]]
    calls: ToolCalls


def _placet(name: str, model: str, base: Callable[[WireServer], str]) -> Agent:
    def environment(server: WireServer) -> dict[str, str]:
        return {"PLACET_MODEL": model, "PLACET_API_BASE": base(server)}

    return Agent(name, lambda _: (sys.executable, "-m", "placet", "run", "--yes", _PROMPT), environment, _PLACET_CALLS)


_PLACET_CALLS = ToolCalls(
    read=lambda path, lines: Call("read", {"filePath": str(path), "limit": lines}, pieces=1),
    edit=lambda path, old, new: Call("edit", {"filePath": str(path), "oldString": old, "newString": new}, pieces=1),
    shell=lambda line: Call("bash", {"command": line, "description": "Run it"}, pieces=1),
    grep=lambda pattern: Call("grep", {"pattern": pattern}, pieces=1),
    glob=lambda pattern: Call("glob", {"pattern": pattern}, pieces=1),
)


def _codex_shell(line: str) -> Call:
    return Call("exec_command", {"cmd": line}, pieces=1)


def _patch(path: Path, old: str, new: str) -> Call:
    patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch"
    return _codex_shell(f"apply_patch <<'EOF'\n{patch}\nEOF")


_CODEX_CALLS = ToolCalls(
    read=lambda path, lines: _codex_shell(f"sed -n '1,{lines}p' {path}"),
    edit=_patch,
    shell=_codex_shell,
    grep=lambda pattern: _codex_shell(f"rg -n {pattern} | head -100"),
    glob=lambda pattern: _codex_shell(f"rg --files -g '{pattern}' | head -100"),
)


def _claude_shell(line: str) -> Call:
    return Call("Bash", {"command": line, "description": "Run it"}, pieces=1)


_CLAUDE_CALLS = ToolCalls(
    read=lambda path, lines: Call("Read", {"file_path": str(path), "limit": lines}, pieces=1),
    edit=lambda path, old, new: Call("Edit", {"file_path": str(path), "old_string": old, "new_string": new}, pieces=1),
    shell=_claude_shell,
    grep=lambda pattern: _claude_shell(f"rg -n {pattern} | head -100"),
    glob=lambda pattern: _claude_shell(f"rg --files -g '{pattern}' | head -100"),
)


def _codex_command(server: WireServer) -> Sequence[str]:
    fields = f'name="local",base_url="{server.openai_base}",wire_api="responses",env_key="OPENAI_API_KEY"'
    provider = ("-c", "model_provider=local", "-c", f"model_providers.local={{{fields}}}", "-m", "gpt-5")
    return ("codex", "exec", "--skip-git-repo-check", "-s", "danger-full-access", *provider, _PROMPT)


PLACET = _placet("placet", "openai/gpt-4o", lambda server: server.openai_base)
PLACET_RESPONSES = _placet("placet, Responses", "openai/responses/gpt-5", lambda server: server.openai_base)
PLACET_ANTHROPIC = _placet("placet, Anthropic", "anthropic/claude-sonnet-4-5", lambda server: server.anthropic_base)
_OTHERS = (
    Agent("codex", _codex_command, lambda _: {}, _CODEX_CALLS),
    Agent(
        "claude",
        lambda _: ("claude", "-p", "--dangerously-skip-permissions", _PROMPT),
        lambda server: {
            "ANTHROPIC_BASE_URL": server.anthropic_base,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "IS_SANDBOX": "1",
        },
        _CLAUDE_CALLS,
    ),
)


def others() -> list[Agent]:
    """Return the agents beside Placet which are installed."""
    return [agent for agent in _OTHERS if shutil.which(agent.name)]


@dataclass(slots=True)
class Place:
    """Repository, home and data directories of one agent."""

    root: Path
    environment: dict[str, str]


@dataclass(slots=True)
class Run:
    """One prompt from spawn to exit. Moments are of time.perf_counter."""

    spawned: float
    requests: list[RecordedRequest]
    ends: list[float] = field(default_factory=list[float])
    """Moments at which each answer was sent to its end."""
    mebibytes: float = 0.0
    """Memory of all processes of the agent while the last answer waits; shared pages count in part."""
    mebibytes_by_process: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def first_request_seconds(self) -> float:
        return self.requests[0].received - self.spawned

    @property
    def gaps_milliseconds(self) -> list[float]:
        """Return the agent's own time between the end of each answer and the next request."""
        pairs = zip(self.ends, self.requests[1:], strict=False)
        return [(request.received - end) * 1000 for end, request in pairs]


@asynccontextmanager
async def place() -> AsyncIterator[Place]:
    """Give a repository with one file and an empty home."""
    with tempfile.TemporaryDirectory(dir=Path.home() if Path.home().is_dir() else None) as directory:
        home = Path(directory)
        root = home / "project"
        root.mkdir()
        (root / "file.txt").write_text("".join(f"some words in line {number}\n" for number in range(50)), "utf-8")
        environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        environment |= {f"XDG_{name}_HOME": str(home / name) for name in ("DATA", "CONFIG", "CACHE", "STATE")}
        environment |= {"HOME": str(home), "OPENAI_API_KEY": "none", "ANTHROPIC_API_KEY": "sk-none"}
        environment["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), environment["PATH"]))
        git = "git init -q . && git add . && git -c user.name=bench -c user.email=bench@localhost commit -qm first"
        process = await asyncio.create_subprocess_shell(git, cwd=root, env=environment)
        assert await process.wait() == 0
        yield Place(root, environment)


async def run(agent: Agent, server: WireServer, place: Place, answers: Sequence[Answer] = ()) -> Run:
    """Send the prompt; answer the requests with `answers` and then with a text, and measure."""
    script = iter(answers)
    last = asyncio.Event()
    before = len(server.requests)

    def answer(_: RecordedRequest) -> Answer:
        return next(script, (Text("Seen.", pieces=1), Wait(last)))

    server.play(answer)
    environment = {**place.environment, **agent.environment(server)}
    spawned = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *agent.command(server),
        cwd=place.root,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output = asyncio.create_task(process.communicate())
    ends: list[float] = []

    async def reach(event: Coroutine[Any, Any, object]) -> None:
        reached = asyncio.create_task(event)
        await asyncio.wait((reached, output), return_when=asyncio.FIRST_COMPLETED)
        assert reached.done(), f"{agent.name} ended early: {output.result()[0].decode(errors='replace')[-2000:]}"

    async with asyncio.timeout(_RUN_SECONDS):
        for number in range(len(answers)):
            await reach(server.wait_for_requests(before + number + 1))
            await reach(server.requests[before + number].finished.wait())
            ends.append(time.perf_counter())
        await reach(server.wait_for_requests(before + len(answers) + 1))
        by_process = _memory(process.pid)
        last.set()
        await output
    memory = sum(by_process.values())
    return Run(spawned, server.requests[before:], ends, memory, by_process)


def _memory(process_id: int) -> dict[str, float]:
    root = psutil.Process(process_id)
    sizes: dict[str, float] = {}
    for number, process in enumerate((root, *root.children(recursive=True))):
        try:
            words = process.cmdline()
            full = process.memory_full_info()
        except psutil.NoSuchProcess:
            continue
        name = "model host" if "placet.model.host" in words else Path(words[0]).name if words else "?"
        shown = name if name not in sizes else f"{name} {number}"
        sizes[shown] = getattr(full, "pss", full.rss) / 2**20
    return sizes
