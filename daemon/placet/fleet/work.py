"""Work on a task: clone, setup, turn, patch, check and result, all in a single process of a pool.

The turn is `placet run` in a process of its own, with the user's settings, keys and sandbox of the machine of
the task. No key is part of an order: a worker finds the keys in the key store of its machine.
"""

import asyncio
import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from msgspec import Struct

from placet.core.errors import PlacetError, RequestError
from placet.core.executor import in_thread
from placet.core.messages import Tokens
from placet.core.visible_text import one_line
from placet.fleet.clone import Clone, folder_name, make_clone, patch_of
from placet.fleet.results import FleetOutput, Result, Status
from placet.fleet.tasks import FleetTask
from placet.project.file_lock import awaited_lock
from placet.project.processes.child import Command, LastWords, ManagedChild
from placet.project.processes.environment import without_secrets
from placet.project.processes.programs import with_users_path
from placet.sandbox.programs import ContainProgram, Program
from placet.sandbox.removal import remove_tree
from placet.sessions.services.config import ConfigLoader
from placet.sessions.services.programs import contained_by
from placet.settings.locations import default_locations

PLACES_FAULTS = frozenset(
    ("rate_limit", "overloaded", "server_error", "timeout", "connection", "interrupted", "host_died", "empty_answer")
)
"""Errors of a model that another attempt may not meet."""
_LIMITS = {"cost_cap": "cost", "timeout": "time"}
_MORE_SECONDS = 120.0
"""Time beyond the limit, for the start and the end of the process."""
_DETAIL_CHARACTERS = 2000
_ADDED, _DELETED = (b"+", b"+++ "), (b"-", b"--- ")


class Order(Struct, frozen=True):
    """Order for a worker, which goes to another process or machine."""

    task: FleetTask
    output: str
    """Address of the results."""
    model: str | None
    retries: int
    """Further attempts after a fault of the place."""


class _PlaceFailed(Exception):
    """The place failed, and not the agent; the work may be tried again."""


class _Turn(Struct):
    status: Status
    reason: str = ""
    ended: Mapping[str, Any] = {}
    detail: str = ""
    """Words of the model's error."""


def work(order: Order) -> Result:
    """Do the task, store the result, and return the result; a task with a result is not done again. Blocks."""
    return asyncio.run(work_on(order))


async def work_on(order: Order) -> Result:
    """Do what `work` says. Cancelling stops the task without a result."""
    output = FleetOutput(order.output)
    home = await in_thread(lambda: default_locations().fleet)
    name = hashlib.sha256(f"{order.output}\0{order.task.id}".encode()).hexdigest()[:16]
    # A worker of an earlier, killed driver may be at its end.
    async with awaited_lock(home / "tasks" / f"{name}.lock", is_removed=True):
        if (result := await in_thread(lambda: output.result(order.task.id))) is not None:
            return result
        return await _tried(order, output, home, home / "tasks" / name)


def place_failed(order: Order, reason: str, detail: str = "", attempts: int = 1) -> Result:
    """Return the result of a task whose worker failed, stored if the output takes results. Blocks."""
    result = Result(id=order.task.id, status="place", reason=reason, detail=detail[:_DETAIL_CHARACTERS])
    with suppress(OSError, PlacetError):
        return FleetOutput(order.output).save(result.model_copy(update={"attempts": attempts}), b"")
    return result


async def _tried(order: Order, output: FleetOutput, home: Path, place: Path) -> Result:
    attempt, began = 0, time.monotonic()
    while True:
        attempt += 1
        await in_thread(lambda: remove_tree(place))
        try:
            result, patch = await _attempt(order, home, place)
            break
        except _PlaceFailed as failure:
            if attempt <= order.retries:
                continue
            reason, _, detail = str(failure).partition("\n")
            result, patch = Result(id=order.task.id, status="place", reason=reason, detail=detail), b""
            break
        finally:
            await in_thread(lambda: remove_tree(place))
    result = result.model_copy(
        update={"attempts": attempt, "seconds": round(time.monotonic() - began, 3), "model": _model(order)}
    )
    return await in_thread(lambda: output.save(result, patch))


def _model(order: Order) -> str | None:
    return order.task.model or order.model


async def _attempt(order: Order, home: Path, place: Path) -> tuple[Result, bytes]:
    """Return result and patch of one attempt. Raises _PlaceFailed."""
    task = order.task
    try:
        # Some builds name the program by its folder.
        clone = await make_clone(task, place / "tree" / folder_name(task), home)
    except (RequestError, OSError) as error:
        raise _PlaceFailed(f"clone\n{error}") from error
    # Outside of the clone, where no command of the agent writes.
    if task.setup is not None:
        code, words = await _command(task.setup, "setup", task, clone)
        if code != 0:
            raise _PlaceFailed(f"setup\n{words}")
    turn = await _turn(order, clone, place)
    try:
        patch = await patch_of(clone)
    except RequestError as error:
        raise _PlaceFailed(f"patch\n{error}") from error
    solved, detail = None, ""
    if task.check is not None:
        await in_thread(lambda: _write_files(task, clone))
        code, detail = await _command(task.check, "check", task, clone)
        solved = code == 0
    lines = patch.split(b"\n")
    report = cast("Mapping[str, Any]", turn.ended.get("result") or {})
    result = Result(
        id=task.id,
        status=turn.status,
        solved=solved,
        reason=turn.reason,
        detail=turn.detail or ("" if solved else detail),
        base=clone.base,
        additions=_count(lines, *_ADDED),
        deletions=_count(lines, *_DELETED),
        session_id=turn.ended.get("sessionId"),
        answer=str(turn.ended.get("answer", ""))[-_DETAIL_CHARACTERS:],
        tokens=Tokens.model_validate(report.get("tokens") or {}),
        cost=float(report.get("cost") or 0.0),
    )
    return result, patch


def _count(lines: list[bytes], mark: bytes, head: bytes) -> int:
    return sum(line.startswith(mark) and not line.startswith(head) for line in lines)


def _write_files(task: FleetTask, clone: Clone) -> None:
    """Write the hidden files of the check over the files of the clone; a link of the agent leads nowhere else."""
    top = clone.directory.resolve()
    for name, text in task.files.items():
        path = top / name
        if not path.resolve().is_relative_to(clone.top.resolve()):
            raise _PlaceFailed(f"check\n{name} leads out of the clone")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")


async def _turn(order: Order, clone: Clone, place: Path) -> _Turn:
    """Run the turn, and return the end. Raises _PlaceFailed."""
    task, limits = order.task, order.task.limits
    prompt = place / "prompt.md"
    await in_thread(lambda: prompt.write_text(task.prompt, "utf-8"))
    model = _model(order)
    words = [
        *(sys.executable, "-P", "-m", "placet", "run", "--json", "--ask", "deny", "--allow", "edit"),
        # A task is text of a data set, and no prompt of the user: a mention would attach files of the user.
        *("--literal", "--review", "ask", "--cwd", str(clone.directory), "--file", str(prompt)),
        *("--timeout", f"{limits.seconds:g}"),
        *(("--max-steps", str(limits.steps)) if limits.steps is not None else ()),
        *(("--max-cost", f"{limits.cost:g}") if limits.cost is not None else ()),
        *(("--model", model) if model is not None else ()),
        *(("--agent", task.agent) if task.agent is not None else ()),
    ]
    errors = LastWords()
    try:
        # The whole environment: without the keys of the user's variables the model host has no key.
        child = await ManagedChild.start_program(Command(words, clone.directory, with_users_path(os.environ)), errors)
    except OSError as error:
        raise _PlaceFailed(f"start\n{error}") from error
    try:
        child.stdin.close()
        async with asyncio.timeout(limits.seconds + _MORE_SECONDS):
            last = await _last_line(child.stdout)
            code = await child.wait()
    except TimeoutError:
        return _Turn("limit", "time")
    finally:
        await child.end()
    ended = _run_ended(last)
    if ended is None:
        raise _PlaceFailed(f"killed\nplacet run ended with {code}: {errors.line}")
    return _judged(code, ended)


def _judged(code: int, ended: Mapping[str, Any]) -> _Turn:
    """Return the end of the turn by exit code and report. Raises _PlaceFailed for a fault of the place."""
    report = cast("Mapping[str, Any]", ended.get("result") or {})
    error = cast("Mapping[str, Any]", report.get("error") or {})
    name = str(error.get("code", "")) or str(report.get("stopReason", "error"))
    detail = one_line(str(error.get("message", "")))
    match code:
        case 0:
            return _Turn("done", ended=ended)
        case 5:
            return _Turn("limit", _LIMITS.get(name, "steps"), ended)
        case 3 | 4:
            return _Turn("stopped", name, ended, detail)
        case 130:
            raise _PlaceFailed("killed\nplacet run was cancelled")
        case _ if name in PLACES_FAULTS:
            raise _PlaceFailed(f"{name}\n{detail}")
        case 2:
            return _Turn("error", name, ended, detail)
        case _:
            is_models = name in ("authentication", "bad_request", "not_found", "no_model", "failed", "error")
            return _Turn("error" if is_models else "stopped", name, ended, detail)


async def _last_line(stream: asyncio.StreamReader) -> bytes:
    """Return the last whole line; the lines before, of any length, are not kept."""
    last = rest = b""
    while data := await stream.read(1 << 16):
        *whole, rest = (rest + data).split(b"\n")
        last = next((line for line in reversed(whole) if line), last)
    return last


def _run_ended(line: bytes) -> Mapping[str, Any] | None:
    with suppress(ValueError):
        ended = json.loads(line)
        if isinstance(ended, dict) and cast("Mapping[str, Any]", ended).get("kind") == "run_ended":
            return cast("Mapping[str, Any]", ended)
    return None


async def _command(line: str, name: str, task: FleetTask, clone: Clone) -> tuple[int, str]:
    """Run a command line in the sandbox of the user's settings, and return exit code and last words.

    Raises _PlaceFailed.
    """
    shell = ("cmd", "/c", line) if os.name == "nt" else ("/bin/sh", "-c", line)
    command = Command(shell, clone.directory, without_secrets(with_users_path(os.environ)))
    contain = (await in_thread(_containment))(Program(f"the {name} of {task.id}", (clone.top,)))
    with tempfile.TemporaryFile() as output:
        file = cast("BinaryIO", output)
        try:
            async with contain(command) as contained:
                child = await ManagedChild.start_program(contained, file)
                try:
                    is_over = await child.ends_within(task.limits.seconds)
                finally:
                    await child.end()
        except (PlacetError, OSError) as error:
            raise _PlaceFailed(f"{name}\n{error}") from error
        file.seek(max(0, file.seek(0, os.SEEK_END) - _DETAIL_CHARACTERS))
        words = file.read().decode("utf-8", "replace").strip()
    if not is_over:
        return 1, f"{words}\nThe {name} took longer than {task.limits.seconds:g} seconds.".strip()
    return child.exit_code or 0, words


def _containment() -> ContainProgram:
    """Return the containment by the user's own settings: the settings of a clone are not trusted."""
    locations = default_locations()
    config = ConfigLoader(locations, ()).read()
    return contained_by(lambda: config.settings, locations, hides=False)
