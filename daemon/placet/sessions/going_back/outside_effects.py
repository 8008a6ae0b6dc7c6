"""Effects of turns beyond the reach of an undo: programs, foreign tools, background jobs, uncovered files. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from placet.core.messages import AssistantMessage, JsonObject, Message, ToolFailed, ToolPart, ToolPending, ToolState
from placet.core.visible_text import command_title
from placet.permissions.shell.programs.reading import is_read_only
from placet.project.paths import from_uri
from placet.project.processes.background_jobs import Job
from placet.sessions.turns.recorder import INTERRUPTED
from placet.tools.framework.builtin import BUILTIN
from placet.tools.framework.define import BEGAN
from placet.tools.shell.permission import findings_of

EffectKind = Literal["command", "job", "tool", "file"]
_BUILTIN_NAMES = frozenset(tool.id for tool in BUILTIN)


class OutsideEffect(Struct, frozen=True):
    """Lasting effect of a turn after the user went back, in words for the user."""

    kind: EffectKind
    text: str


def outside_effects(messages: Iterable[Message], root: Path) -> Iterator[OutsideEffect]:
    """Yield the effects of the calls in the messages, oldest first. Analyses command lines, so the call is slow."""
    for message in messages:
        if isinstance(message, AssistantMessage):
            for part in message.parts:
                if isinstance(part, ToolPart) and not isinstance(part.state, ToolPending):
                    if not _has_run(part.state):
                        continue
                    if part.tool == "bash":
                        yield from _of_command(part.state.input, part.state.metadata, root)
                    else:
                        yield from _of_tool(part.tool)


def running_jobs(jobs: Sequence[Job]) -> Iterator[OutsideEffect]:
    """Yield an effect for each running job."""
    for job in jobs:
        if not job.task.done():
            yield OutsideEffect("job", f"The background job {job.id} still runs: {command_title(job.line)}")


def subagents_of(messages: Iterable[Message]) -> list[str]:
    """Return the sessions of the subagents started by calls in the messages."""
    states = (part.state for message in messages for part in message.parts if isinstance(part, ToolPart))
    started = (state.metadata.get("sessionId") for state in states if not isinstance(state, ToolPending))
    return [session_id for session_id in started if isinstance(session_id, str)]


def _has_run(state: ToolState) -> bool:
    """Return whether the command or the foreign tool of a call may have run; a question of the call may never have been
    answered.

    A running command has an output, and a running tool has begun, but the store does not hold the metadata of a call
    during which Placet was killed.
    """
    if not isinstance(state, ToolFailed) or state.error == INTERRUPTED:
        return True
    return "output" in state.metadata or BEGAN in state.metadata


def _of_tool(tool: str) -> Iterator[OutsideEffect]:
    if tool not in _BUILTIN_NAMES:
        yield OutsideEffect("tool", f"The tool {tool} ran, and may have changed things outside of the project.")


def _of_command(arguments: JsonObject, metadata: JsonObject, root: Path) -> Iterator[OutsideEffect]:
    line = arguments.get("command")
    if not isinstance(line, str) or not line.strip():
        return
    title = command_title(line)
    if arguments.get("background") is True:
        yield OutsideEffect("job", f"Changes by a background job are not covered: {title}")
    elif metadata.get("sandbox") != "inside" and not is_read_only(findings_of(line, root)):
        yield OutsideEffect(
            "command",
            f"A command ran outside of a sandbox, and may have reached the network or other programs: {title}",
        )
    elif not is_read_only(findings_of(line, root)):
        yield from (
            OutsideEffect("command", f"network: {host}, for a command in the sandbox: {title}")
            for host in _hosts(metadata)
        )
    uncovered = metadata.get("notCoveredByUndo")
    for uri in map(_uri, uncovered if isinstance(uncovered, list) else ()):
        yield OutsideEffect("file", f"{from_uri(uri) or uri} was changed by a command, and is not covered: {title}")
    if isinstance(doubt := metadata.get("undoDoubt"), str):
        yield OutsideEffect("file", f"{doubt} ({title})")


def _hosts(metadata: JsonObject) -> list[str]:
    """Return the hosts to which a command in the sandbox was allowed to connect, with the ports."""
    hosts = metadata.get("hosts")
    return [host for host in hosts if isinstance(host, str)] if isinstance(hosts, list) else []


def _uri(file: Any) -> str:
    return str(file["uri"]) if isinstance(file, dict) and "uri" in file else str(file)
