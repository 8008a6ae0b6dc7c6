"""The process of `placet --acp`, whose lines go to the client that has the process now."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fork_support import ForkedProcess


@dataclass(frozen=True)
class Start:
    """How an agent was started."""

    words: tuple[str, ...]
    environment: Mapping[str, str]
    settings: Mapping[str, bytes]


class Agent:
    """Lives as long as the process; `hear` takes a line of the process, None for a line that is nobody's."""

    def __init__(self, process: asyncio.subprocess.Process | ForkedProcess, start: Start | None = None) -> None:
        self.process = process
        self.start = start
        self.stderr = b""
        self.requests = 0
        """How many requests clients have sent."""
        self.gone: set[Any] = set()
        """Sessions of earlier tests."""
        self.hear: Callable[[bytes], Any] = lambda line: None
        self.reading = asyncio.gather(self._read(), self._read_stderr())

    async def _read(self) -> None:
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            await self.hear(line)

    async def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        while data := await self.process.stderr.read(1 << 16):
            self.stderr += data
