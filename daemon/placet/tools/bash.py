"""Run a shell command: the call ends with the command, shows the tail of the output, and a stop ends all children."""

import asyncio
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from placet.changes.commands.command_report import change_metadata, not_covered
from placet.core.errors import NobodyToAsk, Rejected, ToolError
from placet.core.executor import in_thread
from placet.core.messages import JsonObject
from placet.core.values import replace
from placet.core.visible_text import command_title, one_line, quoted
from placet.permissions.shell import Findings
from placet.permissions.shell.programs.reading import is_read_only, proof_of_reading
from placet.project.processes.child import Command
from placet.project.processes.commands import Ending
from placet.project.processes.programs import with_users_path
from placet.sandbox.containment import Overlay
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import AgentView, Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts, reference
from placet.tools.framework.truncation import bound_file, new_output_file
from placet.tools.shell.background import read_or_kill, start_job
from placet.tools.shell.execution import Execution
from placet.tools.shell.offer import describe_bash, left_out_of_bash
from placet.tools.shell.permission import ask_for_command, findings_of
from placet.tools.shell.program import shell_command, shell_environment
from placet.tools.shell.staged_review import review_before
from placet.tools.shell.terminal_text import plain

DEFAULT_TIMEOUT_MS = 120_000
LIVE_CHARACTERS = 30_000
SILENT_SECONDS = 1.0
"""Time after the end of a command until the user is told why the call still runs."""
_TAKING_OVER = "\n(The command has ended. Its changes are taken over, or wait for your answer.)\n"
MAX_OUTPUT_BYTES = 256 * 1024 * 1024
JOB_NOT_COVERED = "What the job changes from now on is not covered by the user's undo."


class BashArguments(Arguments):
    command: str = Field(default="", description="The command line. Not with `job`.")
    timeout: int | None = Field(
        default=None,
        gt=0,
        description=f"Milliseconds until the command is ended (default {DEFAULT_TIMEOUT_MS}); with `job`, how long "
        "to wait for its end before its output is read.",
    )
    workdir: str | None = Field(
        default=None, description="The directory to run in (default: the root). Rather than cd."
    )
    description: str = Field(default="", description="What the command does, in five to ten words, for the user.")
    background: bool = Field(default=False, description="Let it run on and return at once, with the id of a job.")
    job: str | None = Field(default=None, description="The id of a job to read or kill, instead of a command.")
    action: Literal["read", "kill"] = Field(
        default="read", description="With `job`: read what it has written since you last did, or kill it."
    )

    outside: str = Field(
        default="",
        description="Why the command must run outside of the sandbox, in a sentence for the user, who is asked. "
        "Empty: inside.",
    )

    files: tuple[str, ...] = Field(
        default=(),
        description="Hidden files that the command has to read, such as `.env`; the user is asked. Empty: none.",
    )

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if bool(self.command.strip()) == bool(self.job):
            raise ValueError("give either a `command`, or a `job` with an `action`")
        if "\0" in self.command:
            raise ValueError("a command cannot hold a NUL character")
        return self

    @property
    def title(self) -> str:
        return one_line(self.description) or command_title(self.command)


_NO_LOCKS = {"GIT_OPTIONAL_LOCKS": "0"}
"""Variable by which a git that only reads does not refresh the index, whose lock could stop the user's own git."""


async def init(agent: AgentView) -> Definition[BashArguments]:
    async def execute(arguments: BashArguments, context: ToolContext) -> ToolResult:
        if arguments.job is not None:
            seconds = (arguments.timeout or 0) / 1000
            return await read_or_kill(context, arguments.job, arguments.action, seconds, agent)
        directory = context.workspace.resolve(arguments.workdir or ".")
        findings = await in_thread(findings_of, arguments.command, directory)
        unsaved = await context.changes.save_own()
        commands = context.commands
        terminals = None if arguments.background else commands.terminals
        if terminals is not None and terminals.offer(context.caller.session_id):
            commands = replace(commands, sandbox=None)
        else:
            commands = replace(commands, sandbox=await commands.session_sandbox.offer(), terminals=None)
        context = replace(context, commands=commands)
        permit = await ask_for_command(
            context,
            arguments.command,
            findings,
            directory,
            description=quoted("The model", arguments.description),
            note=f"Not saved, so not seen by it: {_listed(context, unsaved)}" if unsaved else "",
            outside=arguments.outside,
            files=arguments.files,
        )
        if not directory.is_dir():
            raise ToolError(f"There is no directory {directory} to run the command in.")
        variables = await commands.variables(directory)
        if is_read_only(findings):
            variables = {**_NO_LOCKS, **variables}
        environment = shell_environment({**with_users_path(os.environ), **variables})
        command = Command(shell_command(arguments.command), directory, {**environment, **variables})
        only_reads = is_read_only(findings) or proof_of_reading(arguments.command, findings) is not None
        execution = Execution(
            context, arguments.command, command, permit, only_reads=only_reads, is_job=arguments.background
        )
        staged = await context.changes.staged()
        if not execution.is_overlaid(staged) and not only_reads:
            await review_before(context, arguments.command, staged)
            unsaved, staged = await context.changes.save_own(), await context.changes.staged()
        if arguments.background:
            return await _start(arguments, execution, findings)
        return await _run_to_its_end(arguments, execution, agent, findings, unsaved, staged)

    return Definition(await describe_bash(agent), BashArguments, execute)


async def _start(arguments: BashArguments, execution: Execution, findings: Findings) -> ToolResult:
    """Start the command as a background job; undo covers the job's changes until the call returns."""
    context = execution.context
    async with context.changes.around_command(findings) as change:
        result = await start_job(execution, arguments.title, MAX_OUTPUT_BYTES)
    result = replace(result, metadata={**result.metadata, **_place(execution)})
    if not change.is_watched:
        return result
    notes = [JOB_NOT_COVERED, *not_covered(change, context.workspace)]
    return replace(
        result, output=_with_notes(result.output, notes), metadata={**result.metadata, **change_metadata(change)}
    )


async def _run_to_its_end(
    arguments: BashArguments,
    execution: Execution,
    agent: AgentView,
    findings: Findings,
    unsaved: Sequence[Path],
    staged: Sequence[Path],
) -> ToolResult:
    context = execution.context
    path = await in_thread(new_output_file, context.output_directory)
    refusal: Rejected | NobodyToAsk | None = None
    unseen: Sequence[Path] = staged
    waiting: asyncio.TimerHandle | None = None
    try:
        if execution.is_overlaid(staged):
            async with context.changes.around_contained(
                findings, f"Changes by {command_title(arguments.command)}", execution.unreadable
            ) as change:
                ending, refusals = await _run(arguments, execution, path, change.mounts)
                say = partial(_show, arguments, execution, path, _TAKING_OVER)
                waiting = asyncio.get_running_loop().call_later(SILENT_SECONDS, say)
            refusal = change.refusal
            unseen = change.unseen
            unsaved = [file for file in unsaved if file not in staged]
        else:
            async with context.changes.around_command(findings) as change:
                ending, refusals = await _run(arguments, execution, path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    finally:  # A command that was cut short may have changed files too.
        if waiting is not None:
            waiting.cancel()
        await context.documents.reload()
    moved = await context.changes.moved_on()
    changed, removed = _listed(context, moved.changed), _listed(context, moved.removed)
    bounded = await in_thread(lambda: bound_file(path, may_delegate=agent.may_delegate))
    text = plain(bounded.text)
    metadata: JsonObject = {
        "output": text[-LIVE_CHARACTERS:],
        "exit": ending.code,
        "description": arguments.description,
        **bounded.metadata,
        **_place(execution),
        **change_metadata(change),
    }
    not_seen = _listed(context, tuple(dict.fromkeys((*unsaved, *unseen))))
    notes = _notes(ending, arguments, not_seen, changed, removed) + refusals + not_covered(change, context.workspace)
    return ToolResult(arguments.title, _with_notes(text, notes), metadata, refusal=refusal)


async def _run(
    arguments: BashArguments, execution: Execution, path: Path, overlays: Sequence[Overlay] = ()
) -> tuple[Ending, list[str]]:
    show = partial(_show, arguments, execution, path)
    execution.context.metadata(
        title=arguments.title,
        metadata={"output": "", "description": arguments.description, **_place(execution)},
    )
    try:
        return await execution.run(
            path,
            timeout_seconds=(arguments.timeout or DEFAULT_TIMEOUT_MS) / 1000,
            abort=execution.context.abort,
            max_output_bytes=MAX_OUTPUT_BYTES,
            on_output=show,
            overlays=overlays,
        )
    except asyncio.CancelledError:
        show()  # A cancelled call has no result; only this remains.
        raise


def _show(arguments: BashArguments, execution: Execution, path: Path, note: str = "") -> None:
    """Show the output of the running command so far."""
    metadata: JsonObject = {"output": _tail(path) + note, "description": arguments.description, **_place(execution)}
    execution.context.metadata(metadata=metadata)


def _place(execution: Execution) -> JsonObject:
    hosts: JsonObject = {"hosts": list(execution.hosts)} if execution.hosts else {}
    return {} if execution.place is None else {"sandbox": execution.place, **hosts}


def _tail(path: Path) -> str:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 4 * LIVE_CHARACTERS))
        return plain(file.read().decode("utf-8", "replace"))[-LIVE_CHARACTERS:]


def _notes(ending: Ending, arguments: BashArguments, not_seen: str, changed: str, removed: str) -> list[str]:
    notes: list[str] = []
    match ending.reason:
        case "exit":
            notes += [f"exit code {ending.code}"] if ending.code else []
        case "timeout":
            limit = arguments.timeout or DEFAULT_TIMEOUT_MS
            notes.append(f"Ended after its time limit of {limit} ms. If it needs longer, pass a larger `timeout`.")
        case "abort":
            notes.append("Ended because the user stopped the turn.")
        case "flood":
            notes.append(f"Ended because it wrote more than {MAX_OUTPUT_BYTES >> 20} MiB.")
    if not_seen:
        notes.append(f"Not on the disk (unsaved or staged changes), so the command did not see: {not_seen}.")
    if changed:
        notes.append(f"Changed since you read them: {changed}. Read them again before you edit them.")
    if removed:
        notes.append(f"No longer there since you read them: {removed}.")
    return notes


def _listed(context: ToolContext, paths: Sequence[Path]) -> str:
    names = [context.workspace.name(path) for path in paths]
    shown = ", ".join(names[:20])
    return f"{shown} and {len(names) - 20} more" if len(names) > 20 else shown


def _with_notes(text: str, notes: Sequence[str]) -> str:
    output = text.rstrip("\n") or "(no output)"
    return "\n".join((output, "", "<shell_metadata>", *notes, "</shell_metadata>")) if notes else output


FACTS = ToolFacts(
    "bash",
    order=30,
    kind="execute",
    rule="ask",
    describe=reference(describe_bash),
    leave_out=reference(left_out_of_bash),
)
TOOL = define_tool(FACTS.name, init)
