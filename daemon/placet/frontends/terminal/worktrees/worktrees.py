"""`placet worktree`: make, list, open, bring back and remove the worktrees of a repository."""

import argparse
import asyncio
import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from placet.core.errors import PlacetError, RequestError
from placet.core.executor import in_thread
from placet.core.visible_text import spelled_out
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.locations import usable_locations
from placet.frontends.terminal.output import complain, say, say_json
from placet.frontends.terminal.table import moment, print_table
from placet.frontends.terminal.worktrees.setting_up import confirmed, may_ask, set_up, tell_of
from placet.project.processes.child import MARK
from placet.project.processes.programs import find_program
from placet.sessions.worktrees.making import delete_worktree, make_worktree
from placet.settings import Locations
from placet.text.counted import counted
from placet.worktrees.branch import commit_changes
from placet.worktrees.listing import ListedWorktree, find_worktree, list_worktrees, listed
from placet.worktrees.records import Worktree


async def worktrees(options: argparse.Namespace) -> ExitCode:
    """Run the action; a failure is a message on stderr and an exit code."""
    if options.action != "list" and MARK in os.environ:
        complain("this command runs inside a command of an agent, and only you can decide: use a terminal of your own")
        return ExitCode.USAGE
    try:
        locations = await in_thread(usable_locations)
        if options.action == "list":
            return _list(await list_worktrees(locations.worktrees, options.cwd), as_json=options.json)
        if options.action == "create":
            return await _create(locations, options)
        worktree = await find_worktree(locations.worktrees, options.cwd, options.name)
        match options.action:
            case "open":
                return await _open(worktree, only_path=options.path)
            case "setup":
                return ExitCode.DONE if await set_up(worktree, may_ask=may_ask()) else ExitCode.FAILED
            case "remove":
                return await _remove(locations, worktree, force=options.force)
            case _ if options.branch:
                return await _commit(worktree, options.message)
            case _:
                return await _bring_back(worktree, options)
    except PlacetError as error:
        complain(error.with_hint)
        return ExitCode.FAILED
    except asyncio.CancelledError:  # Ctrl-C.
        return ExitCode.CANCELLED


def _list(worktrees: Sequence[ListedWorktree], *, as_json: bool) -> ExitCode:
    if as_json:
        say_json([_data(worktree) for worktree in worktrees])
    elif worktrees:
        rows = [
            (
                entry.worktree.name,
                _state(entry),
                moment(round(entry.worktree.created * 1000)),
                str(entry.worktree.port),
                str(entry.worktree.path),
            )
            for entry in worktrees
        ]
        print_table(("NAME", "STATE", "MADE", ">PORT", "DIRECTORY"), rows)
    else:
        say("There is no worktree of Placet here. `placet worktree create` makes one.")
    return ExitCode.DONE


def _state(entry: ListedWorktree) -> str:
    state = f"{entry.state}, {_files(entry.changed_files)}" if entry.changed_files else entry.state
    if (subagent := entry.worktree.subagent) is None:
        return state
    return f"{state}, {'subagent' if subagent.is_at_work else 'left by'} {spelled_out(subagent.agent)}"


def _data(entry: ListedWorktree) -> dict[str, object]:
    worktree = entry.worktree
    return {
        "name": worktree.name,
        "state": entry.state,
        "changedFiles": entry.changed_files,
        "branch": worktree.branch,
        "path": str(worktree.path),
        "repository": str(worktree.repository),
        "port": worktree.port,
        "created": round(worktree.created * 1000),
        **_subagent(worktree),
    }


def _subagent(worktree: Worktree) -> dict[str, object]:
    if (subagent := worktree.subagent) is None:
        return {}
    return {"subagent": {"agent": subagent.agent, "session": subagent.session, "isAtWork": subagent.is_at_work}}


async def _create(locations: Locations, options: argparse.Namespace) -> ExitCode:
    created = await make_worktree(locations, options.cwd, options.name, takes_changes=options.with_changes)
    tell_of(created)
    is_set_up = await set_up(created.worktree, may_ask=may_ask())
    say(str(created.worktree.path))
    return ExitCode.DONE if is_set_up else ExitCode.FAILED


async def _open(worktree: Worktree, *, only_path: bool) -> ExitCode:
    if only_path:
        say(str(worktree.path))
        return ExitCode.DONE
    editor = _editor()
    if editor is None:
        raise RequestError("No editor was found: set VISUAL or EDITOR, or use --path.")
    process = await asyncio.create_subprocess_exec(*editor, str(worktree.path), cwd=worktree.path)
    return ExitCode.DONE if await process.wait() == 0 else ExitCode.FAILED


def _editor() -> Sequence[str] | None:
    """Return the command that opens a folder: in a new window of VS Code from VS Code's terminal, else the user's."""
    if os.environ.get("TERM_PROGRAM") == "vscode" and (code := find_program("code")) is not None:
        return (code, "--new-window")
    if words := shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "", posix=os.name != "nt"):
        return words
    names = ("code", "nvim", "vim")
    return next(((program,) for name in names if (program := find_program(name)) is not None), None)


async def _commit(worktree: Worktree, message: str | None) -> ExitCode:
    branch, has_committed = await commit_changes(worktree, message or f"Work in the worktree {worktree.name}")
    say(branch)
    done = "the changes are committed" if has_committed else "nothing was uncommitted"
    complain(f"{done}: `git merge {branch}` merges the branch, and `git push` pushes it")
    return ExitCode.DONE


async def _bring_back(worktree: Worktree, options: argparse.Namespace) -> ExitCode:
    from placet.frontends.terminal.worktrees.bringing_back import review_of

    return await review_of(worktree, only_list=options.list)


async def _remove(locations: Locations, worktree: Worktree, *, force: bool) -> ExitCode:
    if Path.cwd().is_relative_to(worktree.path):
        raise RequestError(f"You are in {worktree.path}. Change to another directory first.")
    state = await listed(worktree)
    if state.has_work and not force:
        changes = _files(state.changed_files) if state.changed_files else "changes"
        if await confirmed(f"{worktree.name} has {changes} that were not brought back. Remove the worktree?"):
            force = True
    removed = await delete_worktree(locations, worktree, force=force)
    kept = f"; the branch {removed.kept_branch} stays, as it has commits of its own" if removed.kept_branch else ""
    say(f"Removed {worktree.name}{kept}.")
    return ExitCode.DONE


def _files(count: int) -> str:
    return counted(count, "changed file")
