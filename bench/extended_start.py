"""From spawn to the answer to `initialize`, with many extensions set up, beside none, taken in turns."""

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from bench.client import spawned
from bench.report import Figure

ROUNDS = 15
MCP_SERVERS, SKILLS, TOOLS = 20, 50, 20

TOOL = '''from placet.tools import tool


@tool
def tool_{number}(name: str) -> str:
    """Greet somebody."""
    return f"Hello {{name}}"
'''


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        bare, extended = root / "bare", root / "extended"
        bare.mkdir()
        set_up(extended / "placet")
        with_them, floor = [], []
        for _ in range(ROUNDS):
            floor.append(await _once(root, bare))
            with_them.append(await _once(root, extended))
    return [
        Figure(
            f"initialize, {MCP_SERVERS} MCP servers, {SKILLS} skills, {TOOLS} tools",
            statistics.median(with_them) * 1000,
            "ms",
            floor=statistics.median(floor) * 1000,
            floor_name="without them",
            goal=1.1,
        )
    ]


def set_up(config: Path) -> None:
    """The user's own, in the directory of their settings."""
    server = {"command": [sys.executable, "-c", "import sys; sys.stdin.read()"]}
    for number in range(SKILLS):
        skill = config / "skills" / f"skill-{number}" / "SKILL.md"
        skill.parent.mkdir(parents=True)
        skill.write_text(f"---\nname: skill-{number}\ndescription: The skill {number}.\n---\n" + "Do this.\n" * 100)
    for number in range(TOOLS):
        tool = config / "tools" / f"tool_{number}.py"
        tool.parent.mkdir(exist_ok=True)
        tool.write_text(TOOL.format(number=number))
    settings = {"mcp": {f"server-{number}": server for number in range(MCP_SERVERS)}}
    (config / "placet.json").write_text(json.dumps(settings))


async def _once(root: Path, config: Path) -> float:
    homes = {"XDG_DATA_HOME": str(root / "data"), "XDG_CONFIG_HOME": str(config)}
    start = time.perf_counter()
    async with spawned(sys.executable, "-m", "placet", "--stdio", environment=homes) as client:
        await client.initialize(root)
        return time.perf_counter() - start
