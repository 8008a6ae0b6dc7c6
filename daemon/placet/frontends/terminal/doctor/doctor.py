"""`placet doctor`: list the state of Placet here, the problems, and advice on each problem."""

import platform
from collections.abc import AsyncIterator, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from placet.core.errors import PlacetError, SettingsError
from placet.core.executor import in_thread
from placet.core.visible_text import one_line, spelled_out
from placet.frontends.terminal.doctor.environment import (
    folder_checks,
    key_checks,
    mcp_checks,
    path_checks,
    program_checks,
    server_checks,
    store_check,
    version_checks,
    worktree_checks,
)
from placet.frontends.terminal.doctor.findings import Finding, problem
from placet.frontends.terminal.doctor.models import model_checks
from placet.frontends.terminal.doctor.sandbox import sandbox_checks
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import say, say_json
from placet.project.instructions import MOST_CHARACTERS, memories, rules_of_project, rules_of_user
from placet.project.processes.process_secrets import whole_environment
from placet.project.rules_imports import IMPORTING, imports
from placet.sessions.services.config import Config, ConfigLoader
from placet.settings import Locations, Settings, default_locations
from placet.text.counted import counted

_MARKS: dict[Literal["fine", "note", "problem"], str] = {"fine": "+", "note": "-", "problem": "!"}


@dataclass(frozen=True, slots=True)
class _ReadConfig:
    config: Config
    findings: tuple[Finding, ...]


async def doctor(directory: Path, *, online: bool, as_json: bool) -> ExitCode:
    """Check everything and print the findings; FAILED when a problem was found.

    Only `online` sends the model's provider a request.
    """
    findings = [finding async for finding in _findings(directory, online=online)]
    if as_json:
        report = {"problems": _count(findings), "findings": [asdict(finding) for finding in findings]}
        say_json(report)
    else:
        _print(findings)
    return ExitCode.FAILED if _count(findings) else ExitCode.DONE


async def _findings(directory: Path, *, online: bool) -> AsyncIterator[Finding]:
    for finding in version_checks():
        yield finding
    yield Finding("system", "fine", f"{platform.system()} {platform.release()}, {platform.machine()}")
    locations = await in_thread(_locations)
    if isinstance(locations, Finding):
        yield locations
        return
    for finding in await in_thread(folder_checks, locations):
        yield finding
    async for finding in worktree_checks(locations):
        yield finding
    yield await in_thread(store_check, locations.store)
    environment = await in_thread(whole_environment)
    read = await in_thread(_read, locations, directory)
    for finding in read.findings:
        yield finding
    settings = read.config.settings
    for finding in await in_thread(key_checks, locations, environment):
        yield finding
    for finding in await model_checks(settings, locations, environment, online=online):
        yield finding
    for finding in await in_thread(path_checks, directory.resolve()):
        yield finding
    for finding in await in_thread(program_checks):
        yield finding
    async for finding in sandbox_checks(settings, locations, directory):
        yield finding
    for finding in await in_thread(server_checks, settings, environment):
        yield finding
    for finding in await in_thread(mcp_checks, settings, environment, locations, directory):
        yield finding
    for finding in await in_thread(_trust, read.config):
        yield finding
    for hook in read.config.hooks:
        event = f"{hook.event} {hook.matcher}".strip()
        yield Finding("hook", "fine", spelled_out(f"{event}: {one_line(hook.shown)} ({hook.source})"))
    for finding in await in_thread(_bundles, read.config):
        yield finding
    for finding in await in_thread(_rules, locations, directory.resolve()):
        yield finding
    yield Finding("log", "fine", f"{locations.log} (model-host.log has the output of litellm)")


def _locations() -> Locations | Finding:
    try:
        return default_locations()
    except SettingsError:
        return problem("folders", "This user has no home directory.", "Set HOME, or the XDG_*_HOME variables.")


def _read(locations: Locations, directory: Path) -> _ReadConfig:
    try:
        config = ConfigLoader(locations, (directory.resolve(),)).read()
    except (PlacetError, OSError) as error:
        message = error.with_hint if isinstance(error, PlacetError) else str(error)
        return _ReadConfig(
            Config(Settings(), locations),
            (problem("settings", message, "Correct the settings; until then Placet uses the defaults."),),
        )
    if not config.problems:
        return _ReadConfig(
            config,
            (Finding("settings", "fine", f"no problems; your settings are in {locations.config}"),),
        )
    advice = "Correct this; until then the default is used."
    return _ReadConfig(config, tuple(problem("settings", message, advice) for message in config.problems))


def _trust(config: Config) -> Iterable[Finding]:
    for project in config.projects:
        folder, standing = project.inventory.folder, project.standing
        match standing:
            case "nothing":
                yield Finding("trust", "fine", f"{folder} has no extensions for Placet")
            case "trusted":
                yield Finding("trust", "fine", f"{folder} is trusted")
            case _:
                states = {"unasked": "has extensions that await your decision", "changed": "has changed extensions"}
                text = f"{folder} {states.get(standing, 'is not trusted')}: the extensions are not used"
                yield Finding("trust", "note", text, "Run `placet trust` to see the extensions and decide.")


def _bundles(config: Config) -> Iterable[Finding]:
    """List the bundles, and the bundles that a trusted project asks for; the problems stand with the settings."""
    from placet.extensions.bundles.loading import registered_bundles  # Only a few modules of Placet need the room.

    registered = registered_bundles(config.locations)
    used = {bundle.name for bundle in config.bundles}
    for name, bundle in registered.items():
        origin = f"{bundle.source}{f' at commit {bundle.commit}' if bundle.commit else ''}"
        if name in used:
            yield Finding("bundle", "fine", spelled_out(f"{name}: {origin}, digest {bundle.digest[:12]}"))
        elif not bundle.is_enabled:
            yield Finding("bundle", "note", spelled_out(f"{name}: disabled"), f"`placet plugin enable {name}` uses it.")
    for name, source in config.settings.bundles.items():
        if name not in registered:
            text = spelled_out(f"{name}: this project asks for the bundle, and you have not added it")
            yield Finding("bundle", "note", text, f"`placet plugin add {spelled_out(source)}` shows it and adds it.")


def _rules(locations: Locations, directory: Path) -> Iterable[Finding]:
    """List the rules and memories that every session here begins with."""
    own = rules_of_user(locations.config)
    files = [*([] if own is None else [own]), *rules_of_project((directory,))]
    for file in files:
        yield _rules_file(file)
        for imported in imports(file) if file.name in IMPORTING else ():
            yield Finding("rules", "fine", f"{imported}, imported by {file.name} if it may be read")
    if not files:
        yield Finding("rules", "fine", "no AGENTS.md or similar file; `/init` writes one")
    for file in memories(locations.config, (directory,)):
        yield Finding("memory", "fine", str(file))


def _rules_file(file: Path) -> Finding:
    try:
        count = len(file.read_text("utf-8", "replace"))
    except OSError as error:
        return problem("rules", f"{file} cannot be read: {error.strerror}", "Look at the file's permissions.")
    if count <= MOST_CHARACTERS:
        return Finding("rules", "fine", str(file))
    told = f"{file} is cut: the model is shown the first {MOST_CHARACTERS:,} of {count:,} characters"
    return Finding("rules", "note", told, "Shorten the file, or move parts to files that the model reads when needed.")


def _count(findings: Iterable[Finding]) -> int:
    return sum(finding.state == "problem" for finding in findings)


def _print(findings: list[Finding]) -> None:
    width = max(len(finding.about) for finding in findings)
    for finding in findings:
        say(f"{_MARKS[finding.state]} {finding.about:{width}}  {finding.told}")
        if finding.advice:
            say(f"  {'':{width}}  {finding.advice}")
    count = _count(findings)
    say()
    say(f"{counted(count, 'problem')}." if count else "No problems.")
