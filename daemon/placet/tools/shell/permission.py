"""Permission of a command line: asks for each command started by the line, and each place touched outside."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from placet.core.errors import PermissionDenied
from placet.core.executor import in_thread
from placet.core.values import replace
from placet.core.visible_text import command_title, quoted
from placet.permissions.arity import prefix
from placet.permissions.ask import Ask, Vouched
from placet.permissions.leaving import host_ask, is_need, is_reading
from placet.permissions.rules import MAY_CHANGE, UNPROVED
from placet.permissions.shell import Findings, FoundCommand, analyse
from placet.permissions.shell.offers import commands_behind, reason_against
from placet.permissions.shell.programs.reading import is_read_only
from placet.permissions.ungranted import reason_against_always
from placet.project.paths import Workspace, user_home
from placet.sandbox.containment import CommandSandbox
from placet.tools.framework.access import only_themselves, outside_ask
from placet.tools.framework.context import Judge, ToolContext
from placet.tools.shell.confinement import Inside, Leaves, confinement_of
from placet.tools.shell.git_permission import RepositoryPatterns, repository_patterns
from placet.tools.shell.places import Places, find_places
from placet.tools.shell.program import is_posix_shell
from placet.tools.shell.reading import is_proved_to_read


@dataclass(frozen=True, slots=True)
class CommandPermit:
    """Permission of one command line, and the way in which the line may run."""

    is_contained: bool
    """Whether the line runs inside the sandbox."""
    proposes: bool = False
    """Whether the sandbox alone answers for the line, so that changes by the line are only proposed."""
    lifted: tuple[Path, ...] = ()
    """Protected or unreadable paths that are open for this line."""
    shown: tuple[Path, ...] = ()
    """Hidden files that are open for this line."""
    writable: tuple[Path, ...] = ()
    """Paths outside of the project that the line may also write."""


@dataclass(frozen=True, slots=True)
class CommandAsks:
    """Asks before a command line runs, in order, and the permit once all asks are allowed."""

    asks: tuple[Ask, ...]
    permit: CommandPermit
    refusal: str = ""
    """Reason why the line must not run, whatever the asks allow."""


def findings_of(line: str, directory: Path) -> Findings:
    """Return the findings of the line, read as the shell in the directory would read the line."""
    if not is_posix_shell():
        # The grammar is loaded only where PowerShell runs.
        from placet.permissions.powershell import analyse as analyse_powershell

        return analyse_powershell(line, directory=directory, home=user_home())
    return analyse(line, directory=directory, home=user_home())


async def ask_for_command(
    context: ToolContext,
    line: str,
    findings: Findings,
    directory: Path,
    *,
    description: str = "",
    note: str = "",
    outside: str = "",
    files: Sequence[str] = (),
) -> CommandPermit:
    """Return the permit when the line may run. Raises PermissionDenied, NobodyToAsk or Rejected.

    `description` is the model's, `note` is Placet's own; the command itself is the title. `outside` is the model's
    reason to run the line outside of the sandbox, and `files` are the hidden files that the model wants to be read.
    """
    asked = await in_thread(
        lambda: asks_for_command(
            context.workspace,
            line,
            findings,
            directory,
            context.judge,
            only_reads=context.only_reads,
            sandbox=context.commands.sandbox,
            outside=outside,
            files=files,
        )
    )
    if asked.refusal:
        raise PermissionDenied(asked.refusal)
    is_answered, leaves, has_seen = False, False, False
    for ask in asked.asks:
        shown = replace(ask, note=" ".join(filter(None, (ask.note, note))))
        if ask.vouched == "leaving" and leaves and is_answered:
            shown = replace(shown, vouched="answer")
        if has_seen and ask.permission == "bash":
            shown = replace(shown, unvouched=())
        if not ask.description:
            shown = replace(shown, description=description)
        is_answer = await context.ask(shown)
        if is_reading(ask.permission, ask.patterns):
            has_seen = is_answer  # The question about hidden files gives the other reasons to ask too.
            continue
        is_answered, leaves = is_answered or is_answer, leaves or ask.permission == "sandbox"
    if not asked.permit.proposes or is_answered:
        return replace(asked.permit, proposes=False)
    patterns = (pattern for ask in asked.asks if ask.permission == "bash" for pattern in ask.patterns)
    return replace(asked.permit, proposes=any(context.judge("bash", pattern) != "allow" for pattern in patterns))


async def ask_for_host(context: ToolContext, host: str, port: int, command: str) -> None:
    """Return when the contained command may connect to the host. Raises PermissionDenied, NobodyToAsk or Rejected."""
    await context.ask(host_ask(host, port, command))


def asks_for_command(
    workspace: Workspace,
    line: str,
    findings: Findings,
    directory: Path,
    judge: Judge,
    *,
    only_reads: bool = False,
    sandbox: CommandSandbox | None = None,
    outside: str = "",
    files: Sequence[str] = (),
) -> CommandAsks:
    """Return the asks in order: the places outside, then the commands with their effects on files. Looks at the disk.

    `only_reads`: the agent changes nothing, so a command that is not known to only read is asked about.
    """
    places = find_places(workspace, findings, judge)
    subject = _Subject(workspace, line, directory, judge, places, repository_patterns(places.findings, directory))
    match confinement_of(sandbox, workspace, line, directory, places, judge, outside, files):
        case None:
            return CommandAsks(tuple(subject.uncontained(only_reads=only_reads)), CommandPermit(is_contained=False))
        case Leaves() as leaves:
            return _leaving(subject, leaves, outside, only_reads=only_reads)
        case Inside() as inside:
            return _contained(subject, inside, only_reads=only_reads)


@dataclass(frozen=True, slots=True)
class _Subject:
    """Command line with everything found out about the line."""

    workspace: Workspace
    line: str
    directory: Path
    judge: Judge
    places: Places
    repositories: RepositoryPatterns

    @property
    def findings(self) -> Findings:
        return self.places.findings

    def uncontained(self, *, only_reads: bool) -> list[Ask]:
        """Return the asks of a line that runs with the user's rights."""
        asks = self.outside((self.directory, *self.places.outside))
        return asks if self.only_moves() else [*asks, self.commands(self.reading(), only_reads=only_reads)]

    def outside(self, paths: Sequence[Path]) -> list[Ask]:
        ask = outside_ask(self.workspace, paths)
        return [] if ask is None else [replace(ask, command=self.line, directory=self.directory)]

    def only_moves(self) -> bool:
        """Return whether the line only moves the shell: where the shell stands when the line ends is nothing to
        anybody.
        """
        only_moves = bool(self.findings.commands) and all(command.only_moves for command in self.findings.commands)
        return only_moves and not (self.findings.unproved or _denied(self.findings, self.judge))

    def reading(self) -> Vouched:
        """Return `reading` if the line only reads; no proof is sought where rules and grants allow the line."""
        patterns = asked_patterns(self.line, self.findings, self.judge)
        if self.repositories != RepositoryPatterns() or all(self.judge("bash", name) != "ask" for name in patterns):
            return ""
        is_proved = is_proved_to_read(self.line, self.places, self.directory, self.workspace, self.judge)
        return "reading" if is_proved else ""

    def commands(self, vouched: Vouched, *, only_reads: bool) -> Ask:
        """Return the ask for the commands."""
        repositories = self.repositories
        asked = asked_patterns(self.line, self.findings, self.judge)
        patterns = (*asked, *repositories.of_programs, *repositories.of_doubts)
        granted = [] if repositories.of_doubts else offered(self.findings)
        always = (*granted, *repositories.of_programs) if granted else ()
        if only_reads and vouched != "reading" and not is_read_only(self.findings):
            patterns, always = (*patterns, MAY_CHANGE), ()
        return Ask(
            "bash",
            patterns,
            always,
            command_title(self.line),
            command=self.line,
            directory=self.directory,
            commands=tuple(_as_meant(self.findings)),
            conditions=self.places.conditions,
            vouched=vouched,
        )


def _contained(subject: _Subject, inside: Inside, *, only_reads: bool) -> CommandAsks:
    """Return the asks of a line that runs inside the sandbox, which answers for the line unless a reason is kept."""
    permit = CommandPermit(
        is_contained=True,
        lifted=(*subject.places.protected, *inside.unreadable),
        shown=inside.shown,
        writable=inside.writable,
    )
    needs = [replace(ask, command=subject.line, directory=subject.directory) for ask in inside.needs]
    hidden = subject.outside(inside.unreadable)
    unvouched = tuple((pattern, "The sandbox hides it") for ask in hidden for pattern in ask.patterns)
    vouched: Vouched = "sandbox" if inside.is_unasked else ""
    asks = [
        replace(ask, is_contained=True, vouched=vouched, unvouched=unvouched)
        for ask in subject.outside((subject.directory, *inside.read_outside))
    ]
    if subject.only_moves():
        return CommandAsks((*needs, *asks), permit)
    commands = subject.commands(vouched or subject.reading(), only_reads=only_reads and not inside.only_reads)
    kept = [(pattern, inside.kept) for pattern in commands.patterns] if inside.kept else []
    losses = [(pattern, reason) for pattern, reason in inside.losses if pattern in commands.patterns]
    commands = replace(commands, is_contained=True, unvouched=(*losses, *kept))
    return CommandAsks((*needs, *asks, commands), replace(permit, proposes=inside.is_unasked))


def _leaving(subject: _Subject, leaves: Leaves, outside: str, *, only_reads: bool) -> CommandAsks:
    """Return the asks of a line that leaves the sandbox: the permission `sandbox`, then the rules for commands."""
    commands = subject.commands("leaving", only_reads=only_reads)
    texts = tuple(pattern for pattern in commands.patterns if pattern != MAY_CHANGE)
    ask = replace(
        commands,
        permission="sandbox",
        patterns=(*texts, *leaves.needs),
        always=() if not commands.always or any(map(is_need, commands.always)) else (*commands.always, *leaves.needs),
        title="Run outside of the sandbox",
        note=leaves.reason,
        description=quoted("The model", outside) if outside else "",
        conditions=(),
        vouched="",
    )
    outside_places = [
        replace(one, vouched="leaving") for one in subject.outside((subject.directory, *subject.places.outside))
    ]
    return CommandAsks((ask, *outside_places, commands), CommandPermit(is_contained=False), leaves.refusal)


def asked_patterns(line: str, findings: Findings, judge: Judge) -> list[str]:
    """Return the patterns that the rules must allow: every command's text, and every unproved point.

    A harmless builtin needs no rule of its own beside other commands; but a rule that denies the builtin holds.
    """
    texts = [command.text for command in findings.commands if not command.harmless]
    texts = texts or [command.text for command in findings.commands] or [line.strip()]
    unproved = (f"{UNPROVED}{doubt}" for doubt in findings.unproved)
    return list(dict.fromkeys((*texts, *_denied(findings, judge), *unproved)))


def _denied(findings: Findings, judge: Judge) -> list[str]:
    """Return the texts of commands that a rule denies, with or without a need for a rule."""
    return [command.text for command in findings.commands if judge("bash", command.text) == "deny"]


def _as_meant(findings: Findings) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each command with its words, and with the words of commands that the command may start in turn."""
    for command in findings.commands:
        if not command.targets:
            yield command.text, command.words
            yield from ((command.text, words) for words in commands_behind(command.words))


def offered(findings: Findings) -> list[str]:
    """Return the patterns that "always" would grant: nothing beside an unproved point, or a command never granted."""
    if findings.unproved:
        return []
    asked = [command for command in findings.commands if not command.harmless] or list(findings.commands)
    if any(command.argv and reason_against_always(command.argv) for command in asked):
        return []
    return list(dict.fromkeys(pattern for command in asked for pattern in _offer(command)))


def _offer(command: FoundCommand) -> Sequence[str]:
    may_widen = command.argv is not None and not reason_against(command.argv)
    words = prefix(command.argv) if command.argv is not None and may_widen else None
    spelled = " ".join(words) if words else ""
    if words and (command.text == spelled or command.text.startswith(f"{spelled} ")):
        return (f"{spelled} *",)
    return only_themselves([command.text])
