"""Run a shell command: its end is its exit, its output's tail is shown, and a stop ends all it started."""

import asyncio
import os
import shutil
from functools import cache
from pathlib import Path

from pydantic import Field

from placet.errors import ToolError
from placet.messages import JsonObject
from placet.project.environment import without_secrets
from placet.project.executor import in_thread
from placet.project.processes import Command, Ending, run_command
from placet.tools.access import ask_outside, only_themselves
from placet.tools.define import AgentView, Arguments, Definition, ToolContext, ToolResult, define_tool
from placet.tools.texts import text_for
from placet.tools.truncation import bound_file, new_output_file

DEFAULT_TIMEOUT_MS = 120_000
LIVE_CHARACTERS = 30_000
MAX_OUTPUT_BYTES = 256 * 1024 * 1024


class BashArguments(Arguments):
    command: str = Field(min_length=1, description="The command line, for bash.")
    timeout: int | None = Field(
        default=None, gt=0, description=f"Milliseconds until the command is ended (default {DEFAULT_TIMEOUT_MS})."
    )
    workdir: str | None = Field(
        default=None, description="The directory to run in (default: the root). Rather than cd."
    )
    description: str = Field(default="", description="What the command does, in five to ten words, for the user.")

    @property
    def title(self) -> str:
        return self.description or self.command.strip().partition("\n")[0]


async def init(agent: AgentView) -> Definition[BashArguments]:
    async def execute(arguments: BashArguments, context: ToolContext) -> ToolResult:
        directory = context.workspace.resolve(arguments.workdir or ".")
        title = arguments.title
        await ask_outside(context, [directory])
        always = only_themselves([arguments.command])
        await context.ask("bash", [arguments.command], always=always, title=title, command=arguments.command)
        if not directory.is_dir():
            raise ToolError(f"There is no directory {directory} to run the command in.")
        path = await in_thread(new_output_file, context.output_directory)
        try:
            ending = await _run(arguments, directory, context, path)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        finally:  # A command that was cut short may have changed files as well.
            await context.documents.reload()
        bounded = await in_thread(lambda: bound_file(path, may_delegate=agent.may_delegate))
        metadata: JsonObject = {
            "output": bounded.text[-LIVE_CHARACTERS:],
            "exit": ending.code,
            "description": arguments.description,
            "truncated": bounded.path is not None,
        }
        if bounded.path is not None:
            metadata["outputPath"] = str(bounded.path)
        return ToolResult(title, _told(bounded.text, ending, arguments), metadata)

    return Definition(text_for("bash"), BashArguments, execute)


async def _run(arguments: BashArguments, directory: Path, context: ToolContext, path: Path) -> Ending:
    def show() -> None:
        context.metadata(metadata={"output": _tail(path), "description": arguments.description})

    context.metadata(title=arguments.title, metadata={"output": "", "description": arguments.description})
    with path.open("ab", buffering=0) as output:
        try:
            return await run_command(
                Command(shell_command(arguments.command), directory, without_secrets(os.environ)),
                output,
                timeout_seconds=(arguments.timeout or DEFAULT_TIMEOUT_MS) / 1000,
                abort=context.abort,
                max_output_bytes=MAX_OUTPUT_BYTES,
                on_output=show,
            )
        except asyncio.CancelledError:
            show()  # A cancelled call has no result; this is what remains of it.
            raise


def _tail(path: Path) -> str:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 4 * LIVE_CHARACTERS))
        return file.read().decode("utf-8", "replace")[-LIVE_CHARACTERS:]


def _told(text: str, ending: Ending, arguments: BashArguments) -> str:
    match ending.reason:
        case "exit":
            note = f"exit code {ending.code}" if ending.code else ""
        case "timeout":
            limit = arguments.timeout or DEFAULT_TIMEOUT_MS
            note = f"Ended after its time limit of {limit} ms. If it needs longer, pass a larger `timeout`."
        case "abort":
            note = "Ended because the user stopped the turn."
        case "flood":
            note = f"Ended because it wrote more than {MAX_OUTPUT_BYTES >> 20} MiB."
    told = text.rstrip("\n") or "(no output)"
    return f"{told}\n\n<shell_metadata>\n{note}\n</shell_metadata>" if note else told


def shell_command(command: str) -> tuple[str, ...]:
    """The arguments that run the line in bash, which the tool is named for; in what comes nearest where there is none.

    Raises ToolError where there is no shell at all.
    """
    shell = _shell()
    if shell.stem.lower() in ("pwsh", "powershell"):
        return (str(shell), "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", command)
    return (str(shell), "-c", command)


@cache
def _shell() -> Path:
    # On Windows a bare `bash` is most often WSL's, which is another machine.
    names = ("pwsh", "powershell") if os.name == "nt" else ("bash", "sh")
    for name in names:
        if found := shutil.which(name):
            return Path(found)
    raise ToolError(f"No shell was found: none of {', '.join(names)} is on PATH.")


TOOL = define_tool("bash", init)
