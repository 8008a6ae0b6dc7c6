"""Decision whether a command line runs inside the sandbox, and the questions that the sandbox cannot answer."""

import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from placet.permissions.ask import Ask
from placet.permissions.leaving import SANDBOX, write_need
from placet.permissions.patterns import matches
from placet.permissions.shell import Findings
from placet.permissions.shell.findings import CHANGES
from placet.permissions.shell.programs.confined import SIGNS, makes_commit, reason_to_leave
from placet.permissions.shell.programs.irreversible import REMOVERS, loss_of
from placet.project.git.configured_programs import repository_directory, signs_commits
from placet.project.paths import TEMPORARY, Workspace, exists, user_home
from placet.sandbox.containment import CommandSandbox, Containment
from placet.tools.framework.context import Judge
from placet.tools.shell.places import LocatedPlace, Places
from placet.tools.shell.reading_line import ReadingLine
from placet.tools.shell.removal import removal_reason

_REPLACERS = REMOVERS | {"find", "gfind", "mv", "sed", "gsed", "ln"}
"""Programs that need the directory of a file, because they put another file in the file's place."""


@dataclass(frozen=True, slots=True)
class Inside:
    """The line runs inside the sandbox."""

    is_unasked: bool
    """Whether the sandbox answers in place of the user."""
    only_reads: bool
    """Whether the line can write nowhere."""
    kept: str = ""
    """Reason why the line is asked all the same."""
    losses: tuple[tuple[str, str], ...] = ()
    """Commands that are asked all the same, each with the reason."""
    needs: tuple[Ask, ...] = ()
    """Asks to write outside of the project, and to read hidden files, if the line does."""
    writable: tuple[Path, ...] = ()
    """Paths outside that the ask opens."""
    read_outside: tuple[Path, ...] = ()
    unreadable: tuple[Path, ...] = ()
    """Secrets that the line names."""
    shown: tuple[Path, ...] = ()
    """Hidden files that the asks open."""


@dataclass(frozen=True, slots=True)
class Leaves:
    """The line runs outside of the sandbox, and the user is asked first."""

    needs: tuple[str, ...] = ()
    reason: str = ""
    """Reason that Placet knows; empty when only the model gives a reason."""
    refusal: str = ""
    """Text for the model where the settings let nothing leave."""


def confinement_of(
    sandbox: CommandSandbox | None,
    workspace: Workspace,
    line: str,
    directory: Path,
    places: Places,
    judge: Judge,
    outside: str,
    files: Sequence[str],
) -> Inside | Leaves | None:
    """Return the confinement of the line; None without a sandbox, and for a line that the settings exclude.

    `files` are the hidden files that the model names beside the line.
    """
    if sandbox is None or _is_excluded(sandbox.settings.excluded, places.findings):
        return None
    containment = sandbox.containment
    written = [] if containment.only_reads else list(_written_outside(places, containment))
    opened = {place: _opened(place, places.findings) for place in written}
    needs = tuple(dict.fromkeys(write_need(path or place) for place, path in opened.items()))
    reasons = dict.fromkeys(_reasons_to_leave(places.findings, directory))
    is_too_wide = None in opened.values()
    if outside or reasons or is_too_wide:
        reason = f"It cannot work inside the sandbox: {'; '.join(reasons)}." if reasons else ""
        return Leaves(needs, reason, _refusal(sandbox, reason))
    if needs and sandbox.settings.leaving == "deny":
        return Leaves(needs, refusal=_refusal(sandbox, f"It would write outside of the project: {', '.join(needs)}."))
    writable = tuple(dict.fromkeys(path for path in opened.values() if path is not None))
    title = f"Write outside of the project: {', '.join(path.as_posix() for path in writable)}"
    always = () if any(set("*?") & set(need) for need in needs) else needs
    asks = [Ask(SANDBOX, needs, always, title, is_contained=True)] if needs else []
    kept = sandbox.unhidden or sandbox.gap or _kept(places, workspace, containment)
    losses = () if containment.only_reads else tuple(_losses(places.findings, directory))
    subject = ReadingLine(workspace, line, directory, places, judge)
    shown = subject.shown_files(sandbox.hidden, files) if sandbox.hides else {}
    if shown:
        asks.append(subject.ask_for(shown, (kept, *(loss for _, loss in losses))))
    return Inside(
        is_unasked=sandbox.settings.unasked and not sandbox.is_partial,
        only_reads=containment.only_reads,
        kept=kept,
        losses=losses,
        needs=tuple(asks),
        writable=writable,
        read_outside=tuple(place.real for place in places.located if place.is_outside and place.real not in written),
        unreadable=tuple(place.real for place in _secrets(places, containment)),
        shown=tuple(path for path in shown.values() if path is not None),
    )


def _reasons_to_leave(findings: Findings, directory: Path) -> Iterator[str]:
    """Yield each command that cannot work inside the sandbox, with the reason. Asks git about commits."""
    for command in findings.commands:
        if not command.argv:
            continue
        reason = reason_to_leave(command.argv)
        if not reason and makes_commit(command.argv):
            repository = repository_directory(directory)
            reason = SIGNS if repository is not None and signs_commits(repository) else ""
        if reason:
            yield f"{_named(command.argv)}: {reason}"


def _is_excluded(patterns: Sequence[str], findings: Findings) -> bool:
    """Return whether each command of the line is excluded; nothing is excluded where a point is unproved."""
    commands = [command for command in findings.commands if not command.harmless] or list(findings.commands)
    return (
        bool(patterns and commands)
        and not findings.unproved
        and all(any(matches(pattern, command.text) for pattern in patterns) for command in commands)
    )


def _refusal(sandbox: CommandSandbox, reason: str) -> str:
    if sandbox.settings.leaving == "ask":
        return ""
    return (
        f"The setting `sandbox.leaving: deny` keeps commands inside the sandbox. {reason} Nothing was done. "
        "Do without the command, or tell the user what you would need."
    )


def _named(argv: Sequence[str]) -> str:
    return " ".join((argv[0].rpartition("/")[2], *(word for word in argv[1:3] if not word.startswith("-"))))


def _written_outside(places: Places, containment: Containment) -> Iterator[Path]:
    """Yield the places outside of the writable directories that the line writes for certain; /tmp is the sandbox's."""
    for place in places.located:
        is_certain = place.effect in CHANGES and place.is_outside and not place.is_guess
        open_directories = (*containment.writable, Path("/dev"), TEMPORARY)
        if is_certain and not any(place.real.is_relative_to(directory) for directory in open_directories):
            yield place.real


def _opened(place: Path, findings: Findings) -> Path | None:
    """Return the path to open for a write to the place; None for a path that holds the user's home."""
    programs = {command.argv[0].rpartition("/")[2] for command in findings.commands if command.argv}
    opened = place
    if not exists(place) or not programs.isdisjoint(_REPLACERS):
        opened = place.parent
        while not exists(opened):
            opened = opened.parent
    return None if user_home().resolve().is_relative_to(opened) else opened


def _secrets(places: Places, containment: Containment) -> Iterator[LocatedPlace]:
    for place in places.located:
        is_secret = any(place.real.is_relative_to(secret) for secret in containment.unreadable)
        if is_secret and not any(place.real.is_relative_to(path) for path in containment.readable):
            yield place


def _kept(places: Places, workspace: Workspace, containment: Containment) -> str:
    """Return why the sandbox does not answer for the line, or "": the line names a secret, or removes too much."""
    if secret := next((place for place in _secrets(places, containment) if not place.is_outside), None):
        return f"It names `{secret.names[0]}`, which the sandbox hides"
    if containment.only_reads:
        return ""
    written = [place for place in places.located if place.effect != "reads" and not place.is_outside]
    if linked := next((place for place in written if _is_linked(place.real)), None):
        return f"`{linked.names[0]}` is a file with several names, which may lie outside of the project"
    removed = [place.real for place in written if place.effect == "removes"]
    return removal_reason(removed, places.findings, workspace)


def _is_linked(path: Path) -> bool:
    try:
        status = path.lstat()
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(status.st_mode) and status.st_nlink > 1


def _losses(findings: Findings, directory: Path) -> Iterator[tuple[str, str]]:
    """Yield the commands whose effect undo does not cover, each with the reason."""
    for command in findings.commands:
        if command.argv and (reason := loss_of(command.argv, lambda word: exists(directory / word))):
            yield command.text, f"{reason[:1].upper()}{reason[1:]}"
