"""Background commands of a session; each runs until its end, a kill, or the close of the session."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from msgspec import Struct, field

from placet.core.errors import ToolError
from placet.project.processes.commands import Ending

NO_LIMIT_SECONDS = 10 * 365 * 24 * 3600.0

RunJob = Callable[[asyncio.Event], Awaitable[Ending]]
"""Function that runs a command, with the output into the job's file, until the exit or until the event is set."""


class Job(Struct, eq=False):
    id: str
    session_id: str
    line: str
    """Command line as written by the model."""
    output: Path
    task: asyncio.Task[Ending]
    abort: asyncio.Event
    read_until: int = 0
    """Size of the output seen by the model, in bytes."""

    @property
    def ending(self) -> Ending | None:
        """Return the job's ending, or None while the job runs."""
        return self.task.result() if self.task.done() and not self.task.cancelled() else None


class Jobs(Struct):
    """Jobs of one front door; the object owns the tasks of the jobs."""

    _jobs: dict[str, Job] = field(default_factory=dict[str, Job])
    _count: int = 0

    def start(self, session_id: str, line: str, run: RunJob, output: Path) -> Job:
        """Start the command; the command writes into `output`, which must exist."""
        self._count += 1
        abort = asyncio.Event()
        task = asyncio.create_task(_run(run, output, abort), name=f"job {self._count}")
        job = Job(f"job_{self._count}", session_id, line, output, task, abort)
        self._jobs[job.id] = job
        return job

    def find(self, session_id: str, id: str) -> Job | None:
        """Return the session's job with this id, or None."""
        job = self._jobs.get(id)
        return job if job is not None and job.session_id == session_id else None

    def of_session(self, session_id: str) -> list[Job]:
        return [job for job in self._jobs.values() if job.session_id == session_id]

    async def kill(self, job: Job) -> None:
        """End the job and every process of the job; return when all processes are gone."""
        job.abort.set()
        await asyncio.wait([job.task])

    async def end_session(self, session_id: str) -> None:
        """End the session's jobs, and forget the jobs and their output."""
        jobs = self.of_session(session_id)
        await asyncio.gather(*(self.kill(job) for job in jobs))
        for job in jobs:
            del self._jobs[job.id]
            job.output.unlink(missing_ok=True)

    async def close(self) -> None:
        """End all jobs."""
        for session_id in {job.session_id for job in self._jobs.values()}:
            await self.end_session(session_id)


async def _run(run: RunJob, path: Path, abort: asyncio.Event) -> Ending:
    try:
        return await run(abort)
    except (OSError, ToolError) as error:  # The job could not be started: the reader is told.
        with path.open("ab") as output:
            output.write(f"{error}\n".encode())
        return Ending("exit", os.EX_OSERR if os.name != "nt" else 71)
