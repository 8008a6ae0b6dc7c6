"""`placet sandbox test`: try to leave the sandbox, and do daily work inside, in a scratch project."""

import asyncio
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from placet.core.errors import PlacetError, SandboxFailed
from placet.core.executor import in_thread
from placet.core.values import replace
from placet.frontends.terminal.config import read_config
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import complain, say, say_json
from placet.frontends.terminal.sandbox.rows import ROWS, Row
from placet.frontends.terminal.sandbox.scene import Scene, scene
from placet.frontends.terminal.table import print_table
from placet.project.processes.child import Command
from placet.project.processes.commands import run_command
from placet.project.processes.programs import find_for_commands
from placet.sandbox.containment import Containment, containment_of
from placet.sandbox.diagnosis import next_step, read_system, summary
from placet.sandbox.sandbox import Sandbox
from placet.sandbox.this_host import this_host
from placet.sessions.services.config import Config

_LIMIT_SECONDS = 30.0
_MOST_BYTES = 1 << 20
_WORDS = {"held": "as it must be", "failed": "FAILED", "left out": "left out"}


class Result(Struct, frozen=True):
    row: Row
    state: Literal["held", "failed", "left out"]
    note: str = ""


async def trial(*, cwd: Path, as_json: bool) -> ExitCode:
    """Run the rows and print a table; FAILED when a row fails, or no sandbox works."""
    try:
        config = await read_config(cwd)
    except PlacetError as error:
        complain(str(error))
        return ExitCode.USAGE
    try:
        return await _tested(config, as_json=as_json)
    except (SandboxFailed, OSError) as error:
        complain(f"The sandbox cannot be tested: {error}")
        return ExitCode.FAILED


async def _tested(config: Config, *, as_json: bool) -> ExitCode:
    async with scene(config.locations.cache) as made:
        host = this_host(replace(config.locations, cache=made.cache), os.environ)
        sandbox = Sandbox(host, os.environ)
        settings = config.settings.sandbox.model_copy(update={"network": "off", "write": ()})
        limits, _ = await in_thread(lambda: containment_of(settings, (made.project,), host))
        limits = replace(limits, unreadable=(*limits.unreadable, made.secret))
        backend = await sandbox.backend(limits)
        results: list[Result] = []
        if backend.level != "none":
            results = [await _result(row, made, sandbox, limits) for row in ROWS]
    has_failed = backend.level == "none" or any(result.state == "failed" for result in results)
    if as_json:
        rows = [{"id": each.row.id, "name": each.row.name, "state": each.state, "note": each.note} for each in results]
        say_json({"sandbox": summary(backend), "rows": rows, "holds": not has_failed})
    else:
        _print(summary(backend), results, "" if not has_failed else next_step(backend, read_system()))
    return ExitCode.FAILED if has_failed else ExitCode.DONE


async def _result(row: Row, made: Scene, sandbox: Sandbox, limits: Containment) -> Result:
    missing = [program for program in row.needs if find_for_commands(program, made.environment.get("PATH")) is None]
    if missing:
        return Result(row, "left out", f"{missing[0]} is not installed")
    command = Command(("/bin/sh", "-c", row.line), made.project, made.environment)
    try:
        code, text = await _run(command, sandbox, limits)
    except (PlacetError, OSError) as error:
        return Result(row, "failed", str(error))
    last_line = text.strip().rpartition("\n")[2]
    if row.expects == "works":
        return Result(row, "held") if code == 0 else Result(row, "failed", last_line)
    is_planted = await in_thread(lambda: made.planted)
    return Result(row, "failed", "it was not stopped") if "ESCAPED" in text or is_planted else Result(row, "held")


async def _run(command: Command, sandbox: Sandbox, limits: Containment) -> tuple[int | None, str]:
    """Return the exit code and the output of the command inside the sandbox. Raises SandboxFailed, OSError."""
    with tempfile.TemporaryFile(buffering=0) as output:
        async with sandbox.contained(command, limits, session_id="test") as contained:
            ending = await run_command(
                contained.command,
                output,
                timeout_seconds=_LIMIT_SECONDS,
                abort=asyncio.Event(),
                max_output_bytes=_MOST_BYTES,
            )
            output.seek(0)
            text = output.read().decode("utf-8", "replace")
            return contained.judged(ending, text).code, text


def _print(sandbox: str, results: Sequence[Result], advice: str) -> None:
    say(f"Sandbox: {sandbox}")
    if results:
        say()
        shown = [
            (
                each.row.id,
                each.row.name,
                each.row.expects,
                f"{_WORDS[each.state]}{f': {each.note}' if each.note else ''}",
            )
            for each in results
        ]
        print_table(("row", "attempt or work", "expected", "result"), shown)
        say()
        count = sum(each.state == "failed" for each in results)
        say("Every row is as it must be." if not count else f"{count} of {len(results)} rows failed.")
    if advice:
        say(advice)
