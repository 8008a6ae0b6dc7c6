"""Real places of a command line's paths, looked up on disk when the user or the rules are about to be asked."""

import os
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from placet.core.values import replace
from placet.permissions.ask import Condition
from placet.permissions.protection import Protection, is_in_git_directory, needed, protection_of
from placet.permissions.rules import PROTECTIONS
from placet.permissions.shell import Findings, FoundCommand
from placet.permissions.shell.findings import CHANGES, Effect, NamedPath
from placet.permissions.shell.programs.reading import only_reads
from placet.permissions.shell.wildcards import Expansion, TooMany
from placet.permissions.shell.words import before_wildcard, is_plain, without_quotes
from placet.project.paths import Workspace, real_name
from placet.project.processes.programs import run_places
from placet.tools.framework.context import Judge

MOST_NAMES = 2_000
"""Limit of the names that the wildcards of a line may become; more names count as unknown."""
MOST_ENTRIES = 20_000
"""Limit of the entries of directories looked at for the names."""


_MOVERS = frozenset(("cp", "gcp", "mv"))
_OPTION = "a wildcard finds a file whose name the program would take for an option: {}"
_TOO_MANY = "a wildcard may become more names than are looked at"
_MOVED_LINK = "a link that it moves or copies may lead its other paths elsewhere"
_OF_EACH_PROCESS = "a path leads through {}, which is different for each process"
_NOT_KNOWN = ("/proc", "/sys", "/dev/fd")
"""Directories whose entries the command finds otherwise than this process: `/proc/self/cwd` is each process's own."""
_MOST_LINKS = 40
"""Number of links in a path that Linux follows: path_resolution(7)."""


@dataclass(frozen=True, slots=True)
class LinePlace:
    """Path of the line, and the path behind the symlinks."""

    path: str
    real: str
    effect: Effect
    is_link: bool = False
    """Whether the last name of the path is a symlink."""
    is_guess: bool = False
    """The path is a part of a word, and may be no path at all."""


@dataclass(frozen=True, slots=True)
class LocatedPlace:
    """Place of the line, with the facts by which rules and a sandbox judge the place."""

    real: Path
    effect: Effect
    names: tuple[str, ...]
    """Names of the place in rules."""
    is_outside: bool
    """The place lies outside of the workspace."""
    is_guess: bool


@dataclass(frozen=True, slots=True)
class Places:
    findings: Findings
    """Findings with redirections named by their real places, and with the doubts found on disk."""
    outside: tuple[Path, ...]
    """Places outside the workspace."""
    conditions: tuple[Condition, ...]
    """Conditions by the rules for files."""
    located: tuple[LocatedPlace, ...]
    """All places of the line."""
    protected: tuple[Path, ...]
    """Real paths of the places that need the permission `edit_sensitive` or `edit_protected`."""


def find_places(workspace: Workspace, findings: Findings, judge: Judge) -> Places:
    """Look up where the line's paths lead. `judge` says which of them the rules for `read` deny."""
    resolver = _Resolver(workspace)
    places, doubts, options = _all_places(findings, resolver)
    if any(place.is_link for place in places) and _moves_before_another(findings):
        doubts.append(_MOVED_LINK)
    doubts += (_OPTION.format(name) for name in options)
    if not options and _TOO_MANY not in doubts and _names_stay(findings):
        findings = replace(
            findings, commands=tuple(replace(command, wildcard_doubt="") for command in findings.commands)
        )
    outside = tuple(dict.fromkeys(Path(place.path) for place in places if resolver.is_outside(place.real)))
    by_place = [list(_conditions(place, resolver, judge)) for place in places]
    conditions = [condition for its_conditions in by_place for condition in its_conditions]
    protected = dict.fromkeys(
        Path(place.real)
        for place, its_conditions in zip(places, by_place, strict=True)
        if any(condition.permission in PROTECTIONS for condition in its_conditions)
    )
    located = [
        LocatedPlace(
            Path(place.real), place.effect, resolver.names_of(place), resolver.is_outside(place.real), place.is_guess
        )
        for place in places
    ]
    commands: list[FoundCommand] = []
    for command in findings.commands:
        written = dict.fromkeys(name for target in command.targets for name in resolver.names(target))
        conditions += [Condition("edit", name, "not denied") for name in written]
        commands += _by_their_targets(command, resolver)
    resolved = Findings(tuple(commands), findings.named, tuple(dict.fromkeys((*findings.doubts, *doubts))))
    return Places(resolved, outside, tuple(dict.fromkeys(conditions)), tuple(located), tuple(protected))


class _Resolver:
    """Follows links, each directory's once; and gives names by which rules know a path."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._roots = tuple(f"{os.path.normcase(root)}{os.sep}" for root in workspace.real_roots)
        self._directories: dict[str, str] = {}
        self._unknown: dict[str, str] = {}
        self._names: dict[tuple[str, str], tuple[str, ...]] = {}

    def place(self, path: str, effect: Effect, *, is_guess: bool = False) -> LinePlace:
        directory, name = os.path.split(path)
        if name in ("", ".", ".."):
            return LinePlace(path, real_name(path), effect, is_guess=is_guess)
        if directory not in self._directories:
            self._directories[directory] = real_name(directory)
        real = os.path.join(self._directories[directory], name)  # noqa: PTH118 -- The path keeps its spelling.
        is_link = os.path.islink(real)  # noqa: PTH114
        return LinePlace(path, real_name(real) if is_link else real, effect, is_link, is_guess)

    def unknown_part(self, place: LinePlace) -> str:
        """Return the directory of `_NOT_KNOWN` through which the place's path leads, or ""."""
        directory, _ = os.path.split(place.path)
        if directory not in self._unknown:
            self._unknown[directory] = _unknown_part(directory)
        return self._unknown[directory] or (_unknown_part(place.path) if place.is_link else _entered(place.real))

    def is_run(self, real: Path) -> bool:
        """Return whether the user, or Placet itself, runs programs from the place."""
        return any(real.is_relative_to(place) for place in self._run_places)

    @cached_property
    def _run_places(self) -> tuple[Path, ...]:
        return run_places(self._workspace.real_roots)

    def is_outside(self, real: str) -> bool:
        return not f"{os.path.normcase(real)}{os.sep}".startswith(self._roots)

    def names(self, path: str) -> tuple[str, ...]:
        return self.names_of(self.place(path, "writes"))

    def names_of(self, place: LinePlace) -> tuple[str, ...]:
        """Return the names of the place in rules: the real path, and the written path where the two differ."""
        if (names := self._names.get((place.path, place.real))) is None:
            behind = self._workspace.relative_of_real(Path(place.real))
            written = os.path.normpath(place.path)
            own = behind if written == place.real else self._workspace.relative(Path(written))
            names = self._names[place.path, place.real] = tuple(dict.fromkeys((behind, own)))
        return names


def _unknown_part(path: str) -> str:
    """Return the directory of `_NOT_KNOWN` that the path, or a link on the way, enters, or "". Blocks."""
    at, links = "/", 0
    left = path.split("/")[::-1]
    while left and os.name == "posix":
        part = left.pop()
        if part == "..":
            at = os.path.dirname(at)  # noqa: PTH120
        elif part not in ("", "."):
            at = os.path.join(at, part)  # noqa: PTH118
        if entered := _entered(at):
            return entered
        try:
            target = os.readlink(at)  # noqa: PTH115
        except (OSError, ValueError):
            continue
        links += 1
        if links > _MOST_LINKS:
            break
        at = os.path.dirname(at)  # noqa: PTH120
        left += target.split("/")[::-1]
        if target.startswith("/"):
            at = "/"
    return ""


def _entered(path: str) -> str:
    return next((place for place in _NOT_KNOWN if path == place or path.startswith(f"{place}/")), "")


def _all_places(findings: Findings, resolver: _Resolver) -> tuple[list[LinePlace], list[str], list[str]]:
    """Return the places of the line with the names of wildcards, the doubts about more names, and words that become
    options.
    """
    places: dict[LinePlace, None] = {}
    doubts: list[str] = []
    options: dict[str, None] = {}
    expansion = Expansion(most_names=MOST_NAMES, most_entries=MOST_ENTRIES)
    for named in findings.named:
        if named.is_landing and not os.path.isdir(os.path.dirname(without_quotes(named.path))):  # noqa: PTH112, PTH120
            continue
        written = without_quotes(named.path) if named.has_wildcard else named.path
        places[resolver.place(written, named.effect, is_guess=named.is_guess)] = None
        if named.has_wildcard:
            base = without_quotes(before_wildcard(named.path)[0])
            places[resolver.place(base, "reads")] = None
            try:
                for path in expansion.paths(named.path):
                    places[resolver.place(path, named.effect)] = None
                    if (word := _word_of(path, named)).startswith("-"):
                        options[word] = None
            except TooMany:
                doubts.append(_TOO_MANY)
    visited = (resolver.place(path, "reads") for path in expansion.visited if path)
    unknown = dict.fromkeys(filter(None, map(resolver.unknown_part, (*places, *visited))))
    doubts += map(_OF_EACH_PROCESS.format, unknown)
    return list(places), doubts, list(options)


def _word_of(path: str, named: NamedPath) -> str:
    """Return the word that bash makes of a wildcard; empty where the written text begins the word."""
    return "" if named.word_start is None else path[named.word_start :]


def _names_stay(findings: Findings) -> bool:
    """Return whether no command can make a file whose name a wildcard of a later command would find as an option."""
    makers = [
        command for command in findings.commands if not only_reads(command) and not _makes_only_plain_names(command)
    ]
    return len(makers) <= 1


def _makes_only_plain_names(command: FoundCommand) -> bool:
    return bool(command.targets) and not any(os.path.basename(target).startswith("-") for target in command.targets)  # noqa: PTH119


def _moves_before_another(findings: Findings) -> bool:
    programs = [command.argv[0] for command in findings.commands if command.argv and not command.harmless]
    return len(programs) > 1 and not _MOVERS.isdisjoint(programs)


def _conditions(place: LinePlace, resolver: _Resolver, judge: Judge) -> Iterator[Condition]:
    names = resolver.names_of(place)
    if os.path.lexists(place.real):
        for name in names:
            if judge("read", name) == "deny":
                yield Condition("read", name, "not denied by name")
    if place.effect == "reads":
        return
    protections: dict[str, Protection] = {name: rule for name in names if (rule := protection_of(name)) is not None}
    if resolver.is_run(Path(place.real)):
        protections.setdefault(names[0], "edit_sensitive")
    if is_in_git_directory(Path(place.real)):
        protections[names[0]] = "edit_protected"
    for name, protection in protections.items():
        yield needed(protection if place.effect in CHANGES else "edit_sensitive", name)
    if place.effect in CHANGES:
        below = [f"{name}/*" for name in names] if os.path.isdir(place.real) else []  # noqa: PTH112
        demand = "not denied by name" if resolver.is_outside(place.real) else "not denied to programs"
        yield from (Condition("edit", name, demand) for name in (*names, *below) if judge("edit", name) == "deny")


def _by_their_targets(command: FoundCommand, resolver: _Resolver) -> Iterable[FoundCommand]:
    """Return a redirection for each file that the redirection may write, named by the file's real place."""
    if not command.targets:
        return [command]
    arrow = command.text.partition(" ")[0]
    names = dict.fromkeys(resolver.names(target)[0] for target in command.targets)
    return [replace(command, text=f"{arrow} {name if is_plain(name) else shlex.quote(name)}") for name in names]
