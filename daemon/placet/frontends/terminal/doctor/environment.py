"""Check the surroundings of Placet for `placet doctor`: versions, folders, the store, keys, programs.

All checks block, but the checks of worktrees.
"""

import os
import platform
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from importlib import metadata
from pathlib import Path

from placet.auth.keys import KeyStore, is_key_variable
from placet.auth.stored_key import kind_of
from placet.core.errors import SettingsError, StoreError
from placet.core.executor import in_thread
from placet.core.visible_text import spelled_out
from placet.frontends.terminal.doctor.findings import Finding, problem
from placet.languages.servers.table import server_kinds
from placet.project.paths import with_home
from placet.project.processes.programs import find_configured, find_program, keep_programs_from, left_out
from placet.settings import Locations, McpServerSettings, Settings
from placet.settings.substitution import INPUT
from placet.storage.migrations import STEPS
from placet.storage.schema import refuse_newer
from placet.text.counted import counted
from placet.worktrees.listing import ListedWorktree, left_by_subagents, listed, orphans

_OLDEST_PYTHON = (3, 11)
_BESIDE = str(Path(sys.executable).parent)


def version_checks() -> Iterator[Finding]:
    """Check Python, Placet, and the libraries that Placet needs."""
    text = f"{platform.python_version()} ({sys.executable})"
    if sys.version_info < _OLDEST_PYTHON:
        yield problem("python", text, "Install Placet into Python 3.11 or later.")
    else:
        yield Finding("python", "fine", text)
    for name in ("placet", "litellm", "mcp", "pygls"):
        try:
            yield Finding(name, "fine", metadata.version(name))
        except metadata.PackageNotFoundError:
            yield problem(name, "is not installed", "Reinstall Placet with its dependencies.")


async def worktree_checks(locations: Locations) -> AsyncIterator[Finding]:
    """Check for worktrees whose directory, repository or record is gone, and for worktrees that a subagent has left."""
    for orphan in await in_thread(orphans, locations.worktrees):
        advice = f"`placet worktree remove --force {orphan.path}` removes what is left."
        if orphan.has_record:
            yield Finding("worktree", "note", f"{orphan.path}: {orphan.reason}", advice)
        else:
            yield Finding("worktree", "note", f"{orphan.path}: {orphan.reason}", f"Delete {orphan.path}.")
    for worktree in await in_thread(left_by_subagents, locations.worktrees):
        yield _left_worktree(await listed(worktree))


def _left_worktree(entry: ListedWorktree) -> Finding:
    path, subagent = entry.worktree.path, entry.worktree.subagent
    assert subagent is not None
    maker = spelled_out(f"the subagent {subagent.agent} of the session {subagent.session}")
    remove = f"`placet worktree remove {path}` removes the worktree."
    if not entry.has_work:
        return Finding("worktree", "note", f"{path} was left by {maker}, and holds nothing more", remove)
    number = entry.changed_files
    count = counted(number, "changed file") if number else "changes"
    advice = f"`placet worktree bring-back {path}` reviews the changes in {entry.worktree.repository}. {remove}"
    return Finding("worktree", "note", f"{path} was left by {maker} with {count} that did not come back", advice)


def folder_checks(locations: Locations) -> Iterator[Finding]:
    """Check that Placet's folders can be written, or made."""
    for name in ("config", "data", "cache", "log"):
        path: Path = getattr(locations, name)
        yield _folder(name, path)


def _folder(name: str, path: Path) -> Finding:
    about = f"folder {name}"
    advice = f"Make {path} a writable folder, or set XDG_{name.upper()}_HOME (log: XDG_STATE_HOME)."
    try:
        if path.is_dir():
            usable = os.access(path, os.R_OK | os.W_OK | os.X_OK)
            if usable and name == "config" and os.name == "posix" and path.stat().st_mode & 0o002:
                return problem(about, f"{path} is writable for other users", f"chmod o-w {path}")
            return Finding(about, "fine", str(path)) if usable else problem(about, f"{path} is not writable", advice)
        if path.exists():
            return problem(about, f"{path} is not a folder", advice)
        above = next(parent for parent in path.parents if parent.exists())
        if above.is_dir() and os.access(above, os.W_OK | os.X_OK):
            return Finding(about, "fine", f"{path} (created with the first file)")
    except OSError as error:
        return problem(about, f"{path}: {error.strerror}", advice)
    return problem(about, f"{path} cannot be created: {above} is not writable", advice)


def store_check(path: Path) -> Finding:
    """Check that the sessions' store can be opened. The store is not changed."""
    import sqlite3
    from contextlib import closing

    try:
        if not path.exists():
            return Finding("store", "fine", f"{path} (created with the first session)")
        refuse_newer(path, len(STEPS))
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=2)) as connection:
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            damage = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
        text = f"{path}: {path.stat().st_size / 1e6:.1f} MB, schema {version} of {len(STEPS)}"
    except StoreError as error:
        return problem("store", str(error), "Update Placet, or move the file away.")
    except (OSError, sqlite3.Error) as error:
        return problem("store", f"{path} cannot be read: {error}", "Move the file away to start a new store.")
    if damage != "ok":
        return problem("store", f"{text}, damaged: {spelled_out(damage)}", "Move the file away to start a new store.")
    if not os.access(path, os.W_OK):
        return problem("store", f"{text}, not writable", f"Make {path} writable; until then no session is stored.")
    return Finding("store", "fine", text)


def key_checks(locations: Locations, environment: Mapping[str, str]) -> Iterator[Finding]:
    """List the names of the keys, and the place of each; never a value."""
    names = sorted(name for name, value in environment.items() if value and is_key_variable(name))
    for name in names:
        yield Finding("key", "fine", f"{name} (environment)")
    try:
        store = KeyStore(locations.keys)
        places, sign_ins = store.places(), store.sign_ins()
    except SettingsError as error:
        yield problem("key", str(error), "`placet auth set` stores keys in this file.")
        return
    for name, place in sorted(places.items()):
        kind = f", {kind_of(sign_ins[name])}" if name in sign_ins else ""
        yield Finding("key", "fine", f"{name} ({'keyring' if place == 'keyring' else locations.keys}){kind}")
    if not names and not places:
        yield Finding(
            "key", "note", "no key found", "To use a provider's model, run for example `placet auth login anthropic`."
        )


def path_checks(directory: Path) -> Iterator[Finding]:
    """Check for directories of PATH in which commands of the agent can write, and for a Placet in the project."""
    keep_programs_from((directory,))
    for entry in left_out():
        yield Finding(
            "PATH",
            "note",
            f"leads into {entry}, where commands can write: Placet itself runs no program from there",
            "A command asks before a file changes there. Install a program that Placet needs elsewhere.",
        )
    if Path(sys.prefix).resolve().is_relative_to(directory):
        yield Finding(
            "environment",
            "note",
            f"Placet runs from {sys.prefix} in the project, which commands inside the sandbox cannot change",
            "Install Placet outside of the project, for example with `uv tool install` or `pipx`.",
        )


def program_checks() -> Iterator[Finding]:
    """Check programs that Placet uses if installed."""
    for name, without in (
        ("git", "Install git: Placet reads branches, changes and ignored files through git."),
        ("rg", "Install ripgrep, or reinstall Placet with its dependencies: searches need ripgrep."),
    ):
        program = find_program(name) or find_program(name, _BESIDE)
        yield Finding(name, "fine", program) if program else problem(name, "not found", without)


def server_checks(settings: Settings, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Check that the programs of Placet's own language servers exist. Starts no server."""
    path = environment.get("PATH")
    kinds = [kind for kind in server_kinds(settings.languages) if _find(kind.command[0], path)]
    names = ", ".join(kind.name for kind in kinds) or "none"
    if settings.languages.own:
        yield Finding("language servers", "fine" if kinds else "note", f"found: {names}")
    else:
        text = f"found: {names}; not started, because the setting `languages.own` is off"
        yield Finding("language servers", "fine", text)


def mcp_checks(
    settings: Settings, environment: Mapping[str, str], locations: Locations, directory: Path
) -> Iterator[Finding]:
    """Check that the programs of the MCP servers exist, and that the user has given all values. Starts no server."""
    path = environment.get("PATH")
    for name, server in settings.mcp.servers.items():
        about, source = f"MCP {name}", settings.source_of_server(name)
        if not server.enabled:
            yield Finding(about, "note", f"disabled; set up by {source}")
        elif missing := _missing_inputs(name, server, locations, directory):
            names = ", ".join(missing)
            yield Finding(
                about, "note", f"needs values from you: {names}; set up by {source}", f"`placet mcp input {name}`"
            )
        elif server.url:
            yield Finding(about, "fine", f"{server.url} (not contacted); set up by {source}")
        else:
            program = server.command if isinstance(server.command, str) else server.command[0]
            is_known = not INPUT.search(program)  # A value of the user names the program.
            home = directory / with_home(server.cwd or "")
            is_contained = bool(server.sandbox)
            program_path = find_configured(program, home, path, is_contained=is_contained) if is_known else program
            yield (
                Finding(about, "fine", f"{program_path} (not started); set up by {source}")
                if program_path
                else problem(
                    about,
                    f"`{program}` was not found; set up by {source}",
                    f"Install it, or correct `mcp.{name}.command`.",
                )
            )


def _missing_inputs(name: str, server: McpServerSettings, locations: Locations, directory: Path) -> tuple[str, ...]:
    """Return the names of the inputs without a value."""
    if not server.inputs:
        return ()
    from placet.extensions.mcp.inputs.values import InputValues  # Most servers have no inputs.

    try:
        values = InputValues(name, server, directory, locations.mcp_tokens, locations.worktrees)
        return tuple(entry.id for entry in values.missing())
    except SettingsError as error:
        return (str(error),)


def _find(program: str, path: str | None) -> str | None:
    return find_configured(program, Path(), path, is_contained=False) or find_program(program, _BESIDE)
