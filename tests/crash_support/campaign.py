"""Many victims, each killed at a point of its own; how many of each phase, and what was wrong afterwards."""

import asyncio
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from crash_support.points import Point

SIDE_BY_SIDE = 4
MOST_OF_A_LABEL = 40
LONGEST_DELAY_SECONDS = 0.01


@dataclass
class Campaign:
    """What came of it. `problems` names for each victim that left any its seed, its point and its directory."""

    points: int = 0
    killed: int = 0
    phases: Counter[str] = field(default_factory=Counter)
    events_seen: int = 0
    events_kept: int = 0
    problems: list[str] = field(default_factory=list)

    def add(self, outcome: dict[str, Any]) -> None:
        self.points += 1
        self.killed += outcome["killed"]
        self.phases[outcome["phase"] if outcome["killed"] else "over before it was reached"] += 1
        self.events_seen += outcome["seen"]
        self.events_kept += outcome["kept"]
        if outcome["problems"]:
            self.problems.append(f"{outcome['job']} in {outcome['phase']}:\n  " + "\n  ".join(outcome["problems"]))

    def figures(self) -> dict[str, Any]:
        return {**asdict(self), "phases": dict(self.phases.most_common())}


async def run_campaign(directory: Path, points: Sequence[Point] | int, seed: int) -> Campaign:
    """Kill a victim at each point, or as many as the number says; the same seed chooses the same points."""
    campaign = Campaign()
    async with _Server() as server:
        chance = random.Random(seed)
        whole = await server.run(directory / "whole", seed, None)
        assert whole["over"], whole
        assert not whole["problems"], whole
        assert all(turn["stop"] == "end_turn" for turn in whole["turns"]), whole["turns"]
        assert whole["counts"]["store:opened"] == 1, whole["counts"]
        chosen = choose(whole["counts"], points, chance) if isinstance(points, int) else points
        todo = iter(enumerate(chosen))

        async def work() -> None:
            for number, point in todo:
                campaign.add(await server.run(directory / f"point-{number}", chance.getrandbits(32), point))

        async with asyncio.TaskGroup() as group:
            for _ in range(SIDE_BY_SIDE):
                group.create_task(work())
    return campaign


def choose(counts: dict[str, int], count: int, chance: random.Random) -> list[Point]:
    """Points of all labels in turn, at any of their times, half of them at once and half a moment later."""
    times = {label: list(range(1, many + 1)) for label, many in sorted(counts.items())}
    for one in times.values():
        chance.shuffle(one)
        del one[MOST_OF_A_LABEL:]
    return [_point(label, nth, chance) for label, nth in _in_turn(times, count, chance)]


def _in_turn(times: dict[str, list[int]], count: int, chance: random.Random) -> Iterable[tuple[str, int]]:
    found = 0
    while found < count:
        for label in chance.sample(sorted(times), len(times)):
            if found == count:
                return
            found += 1
            times[label] = times[label][1:] + times[label][:1]
            yield label, times[label][-1]


def _point(label: str, nth: int, chance: random.Random) -> Point:
    delay = 0.0 if chance.random() < 0.5 else 10 ** chance.uniform(-5, 0) * LONGEST_DELAY_SECONDS
    return Point(label, nth, delay)


class _Server:
    """The fork server's process."""

    async def __aenter__(self) -> "_Server":
        path = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])])
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "crash_support.fork_server"),
            stdin=pipe,
            stdout=pipe,
            env={**os.environ, "PYTHONPATH": path},
            limit=1 << 24,
        )
        self._answers: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()
        await self._reading

    async def run(self, directory: Path, seed: int, point: Point | None) -> dict[str, Any]:
        assert self._process.stdin is not None
        job = {"directory": str(directory), "seed": seed, "point": None if point is None else asdict(point)}
        answer = self._answers[str(directory)] = asyncio.get_running_loop().create_future()
        self._process.stdin.write(json.dumps(job).encode() + b"\n")
        return await answer

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            outcome = json.loads(line)
            self._answers.pop(outcome["job"]["directory"]).set_result(outcome)
