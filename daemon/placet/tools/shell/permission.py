"""Permission of a command line: asks for each command started by the line, and each place touched outside."""

from collections.abc import Sequence
from pathlib import Path

from placet.core.executor import in_thread
from placet.core.values import replace
from placet.core.visible_text import command_title
from placet.permissions.arity import prefix
from placet.permissions.ask import Ask
from placet.permissions.rules import MAY_CHANGE, UNPROVED
from placet.permissions.shell import Findings, FoundCommand, analyse, unread
from placet.permissions.shell.offers import reason_against
from placet.permissions.shell.programs.read_only import is_read_only
from placet.project.paths import Workspace, user_home
from placet.tools.framework.access import only_themselves, outside_ask
from placet.tools.framework.define import Judge, ToolContext
from placet.tools.shell.git_permission import repository_patterns
from placet.tools.shell.places import find_places
from placet.tools.shell.program import is_posix_shell


def findings_of(line: str, directory: Path) -> Findings:
    """Return the findings of the line, read as the shell in the directory would read the line."""
    if not is_posix_shell():
        return unread(line, "the language of this shell is not read here")
    return analyse(line, directory=directory, home=user_home())


async def ask_for_command(
    context: ToolContext, line: str, findings: Findings, directory: Path, *, description: str = "", note: str = ""
) -> None:
    """Return when the line may run. Raises PermissionDenied, NobodyToAsk or Rejected.

    `description` is the model's, `note` is Placet's own; the command itself is the title.
    """
    for ask in await in_thread(_asks, context, line, findings, directory):
        await context.ask(replace(ask, description=description, note=note))


def _asks(context: ToolContext, line: str, findings: Findings, directory: Path) -> list[Ask]:
    workspace, judge = context.workspace, context.judge
    return asks_for_command(workspace, line, findings, directory, judge, only_reads=context.only_reads)


def asks_for_command(
    workspace: Workspace, line: str, findings: Findings, directory: Path, judge: Judge, *, only_reads: bool = False
) -> list[Ask]:
    """Return the asks in order: the places outside, then the commands with their effects on files. Looks at the disk.

    `only_reads`: the agent changes nothing, so a command that is not known to only read is asked about.
    """
    may_change = only_reads and not is_read_only(findings)
    places = find_places(workspace, findings, judge)
    findings = places.findings
    outside = outside_ask(workspace, (directory, *places.outside))
    asks = [] if outside is None else [replace(outside, command=line, directory=directory)]
    only_moves = bool(findings.commands) and all(command.only_moves for command in findings.commands)
    if only_moves and not (findings.unproved or _denied(findings, judge)):
        return asks  # Where the shell stands when the line ends is nothing to anybody.
    repositories = repository_patterns(findings, directory)
    patterns = (*asked_patterns(line, findings, judge), *repositories.of_programs, *repositories.of_doubts)
    granted = [] if repositories.of_doubts else offered(findings)
    always = (*granted, *repositories.of_programs) if granted else ()
    if may_change:
        patterns, always = (*patterns, MAY_CHANGE), ()
    commands = Ask("bash", patterns, always, command_title(line))
    return [*asks, replace(commands, command=line, directory=directory, conditions=places.conditions)]


def asked_patterns(line: str, findings: Findings, judge: Judge) -> list[str]:
    """Return the patterns that the rules must allow: every command's text, and every unproved point.

    A harmless builtin needs no rule of its own beside other commands; but a rule that denies the builtin holds, and a
    rule that denies a program holds for every path of the program.
    """
    texts = [command.text for command in findings.commands if not command.harmless]
    texts = texts or [command.text for command in findings.commands] or [line.strip()]
    unproved = (f"{UNPROVED}{doubt}" for doubt in findings.unproved)
    return list(dict.fromkeys((*texts, *_denied(findings, judge), *unproved)))


def _denied(findings: Findings, judge: Judge) -> list[str]:
    """Return the texts of commands that a rule denies, with or without a need for a rule."""
    names = (name for command in findings.commands for name in (command.text, command.bare_text))
    return [name for name in names if judge("bash", name) == "deny"]


def offered(findings: Findings) -> list[str]:
    """Return the patterns that "always" would grant: nothing where a point is unproved."""
    if findings.unproved:
        return []
    asked = [command for command in findings.commands if not command.harmless] or list(findings.commands)
    return list(dict.fromkeys(pattern for command in asked for pattern in _offer(command)))


def _offer(command: FoundCommand) -> Sequence[str]:
    may_widen = command.argv is not None and not reason_against(command.argv)
    words = prefix(command.argv) if command.argv is not None and may_widen else None
    spelled = " ".join(words) if words else ""
    if words and (command.text == spelled or command.text.startswith(f"{spelled} ")):
        return (f"{spelled} *",)
    return only_themselves([command.text])
