"""Jobs of the bash tool: started, read piece by piece, killed."""

import asyncio
import os
from typing import Literal

from placet.core.errors import ToolError
from placet.core.executor import in_thread
from placet.project.processes.background_jobs import NO_LIMIT_SECONDS, Job
from placet.project.processes.commands import Ending
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import AgentView, ToolResult
from placet.tools.framework.truncation import Bounded, bound_output, new_output_file
from placet.tools.shell.execution import Execution
from placet.tools.shell.terminal_text import plain

FIRST_LOOK_SECONDS = 0.3
"""Time in seconds in which most failing jobs fail; the starter then hears of the failure."""
MAX_READ_BYTES = 8 * 1024 * 1024


async def start_job(execution: Execution, title: str, max_output_bytes: int) -> ToolResult:
    """Start the command as a job of the session."""
    context = execution.context
    path = await in_thread(new_output_file, context.output_directory)

    async def run(abort: asyncio.Event) -> Ending:
        ending, notes = await execution.run(
            path, timeout_seconds=NO_LIMIT_SECONDS, abort=abort, max_output_bytes=max_output_bytes
        )
        if notes:
            with path.open("ab") as output:
                output.write("".join(f"\n{note}" for note in notes).encode())
        return ending

    job = context.commands.jobs.start(context.caller.session_id, execution.line, run, path)
    await asyncio.wait([job.task], timeout=FIRST_LOOK_SECONDS)
    begun = f"Job {job.id} was started; it runs until it ends, you kill it, or the session is closed."
    return _result(title, job, f"{begun} {_state(job)}")


async def read_or_kill(
    context: ToolContext, id: str, action: Literal["read", "kill"], seconds: float, agent: AgentView
) -> ToolResult:
    """Return the job's output since the last read, after waiting at most `seconds` for the end. Raises ToolError."""
    job = context.commands.jobs.find(context.caller.session_id, id)
    if job is None:
        job_ids = ", ".join(job.id for job in context.commands.jobs.of_session(context.caller.session_id)) or "none"
        raise ToolError(f"This session has no job `{id}`. Its jobs: {job_ids}.")
    if action == "kill":
        await context.commands.jobs.kill(job)
    elif seconds > 0 and not job.task.done():
        await _wait(job, context.abort, seconds)
    text = plain(await in_thread(_new_output, job))
    bounded = await in_thread(
        lambda: bound_output(text, context.output_directory, may_delegate=agent.may_delegate, keep="tail")
    )
    await context.documents.reload()
    output = bounded.text.rstrip("\n") or "(no new output)"
    title = f"{'Kill' if action == 'kill' else 'Read'} {job.id}: {job.line.strip().partition(chr(10))[0]}"
    return _result(title, job, f"{output}\n\n<shell_metadata>\n{_state(job)}\n</shell_metadata>", bounded)


async def _wait(job: Job, abort: asyncio.Event, seconds: float) -> None:
    stop = asyncio.ensure_future(abort.wait())
    try:
        await asyncio.wait([job.task, stop], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stop.cancel()


def _new_output(job: Job) -> str:
    with job.output.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(job.read_until, size - MAX_READ_BYTES))
        data = file.read()
    job.read_until = size
    return data.decode("utf-8", "replace")


def _state(job: Job) -> str:
    match job.ending:
        case None:
            return f"It is running. Read its output with `job: {job.id}`, end it with `action: kill`."
        case ending if ending.reason == "exit":
            return f"It has ended with exit code {ending.code}."
        case ending if ending.reason == "flood":
            return "It was ended because it wrote too much."
        case _:
            return "It was killed."


def _result(title: str, job: Job, text: str, bounded: Bounded | None = None) -> ToolResult:
    exit_code = job.ending.code if job.ending is not None else None
    of_job = {"output": text, "job": job.id, "running": job.ending is None, "exit": exit_code}
    return ToolResult(title, text, {**of_job, **({"truncated": False} if bounded is None else bounded.metadata)})
