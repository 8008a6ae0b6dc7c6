"""`placet permissions`: list rules and grants in force, explain the decision about a call, and revoke a grant."""

import os
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from placet.core.errors import PlacetError, SandboxFailed
from placet.core.executor import in_thread
from placet.core.messages import JsonObject
from placet.frontends.terminal.config import read_config
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.locations import usable_locations
from placet.frontends.terminal.output import complain, say_json, say_lines
from placet.permissions.caution import Caution
from placet.permissions.decision import PatternDecision
from placet.permissions.explain import Explanation
from placet.permissions.grants import Grants
from placet.permissions.grants_file import GrantsFile
from placet.permissions.lint import warnings
from placet.permissions.rules import builtin_rules
from placet.project.paths import Workspace
from placet.sessions.asks.permission_info import explanation_info, permission_lines, permission_list
from placet.sessions.asks.permissions import Bound, Permissions
from placet.settings import Locations
from placet.settings.models import SandboxSettings

if TYPE_CHECKING:
    from placet.sandbox.preflight import Backend
    from placet.sessions.store.records import SessionInfo

Output = list[str] | JsonObject
"""Lines for a reader, or data as JSON."""
WORDS = {"allow": "allowed", "ask": "asked", "deny": "denied"}


@dataclass(frozen=True, slots=True)
class View:
    """Permissions on which a command works, and the agent bound by the rules."""

    permissions: Permissions
    bound: Bound


@dataclass(frozen=True, slots=True)
class Subject:
    """Project, agent and session that a command names; absent names stand for the default agent and a new session."""

    cwd: Path
    agent: str | None = None
    session: str | None = None


async def explain(permission: str | None, subject: str | None, bound: Subject, *, as_json: bool) -> ExitCode:
    """Print the decision about a call, and the deciding rules."""
    if permission is None or subject is None:
        complain("Say the permission and the subject of a call, or --last.")
        return ExitCode.USAGE

    async def output(view: View) -> Output:
        explanation = await view.permissions.explain(permission, subject, view.bound)
        note = view.permissions.not_offered(permission, view.bound)
        if as_json:
            return explanation_info(explanation, note).dump()
        lines = [*explained(explanation), *([note] if note else [])]
        if explanation.contained is not None:
            settings = view.permissions.settings.sandbox
            lines.append(holds_here(explanation, explanation.contained, settings, await _backend(view)))
        return lines

    return await _print(output, bound)


async def last_judgement(*, as_json: bool) -> ExitCode:
    """Print the last answer of the automatic judge, and the judge's reason."""
    from placet.sessions.judge import read_last  # Only this option needs the judge.

    try:
        judgement = await in_thread(read_last, await in_thread(usable_locations))
    except (OSError, ValueError) as error:
        complain(f"The last answer of the judge cannot be read: {error}")
        return ExitCode.USAGE
    if judgement is None:
        complain("The judge has answered no request.")
        return ExitCode.USAGE
    if as_json:
        say_json({name: getattr(judgement, name) for name in judgement.__struct_fields__})
        return ExitCode.DONE
    verdict = "allowed" if judgement.action == "allow" else "left to you"
    patterns = (f"  {judgement.permission}: {pattern}" for pattern in judgement.patterns)
    say_lines([f"The judge {judgement.model} has {verdict}:", *patterns, f"Its reason: {judgement.reason}"])
    return ExitCode.DONE


async def listing(bound: Subject, *, as_json: bool) -> ExitCode:
    """Print the rules in force, the weakest first, and the grants, each with the place of its definition."""

    async def output(view: View) -> Output:
        rules, grants = view.permissions.rules(view.bound), view.permissions.granted()
        idle = warnings(rules)
        if as_json:
            return permission_list(rules, idle, grants, view.permissions.grants.problem).dump()
        return permission_lines(rules, idle, grants)

    return await _print(output, bound)


async def revoke(grant_id: str, *, cwd: Path, as_json: bool) -> ExitCode:
    """Revoke a grant."""

    async def output(view: View) -> Output:
        await view.permissions.revoke(grant_id)
        return {"revoked": grant_id} if as_json else [f"Revoked {grant_id}."]

    return await _print(output, Subject(cwd))


async def _print(output: Callable[[View], Coroutine[Any, Any, Output]], bound: Subject) -> ExitCode:
    """Print the answer; errors in settings, and requests in vain, go to stderr."""
    try:
        view = await open_view(bound.cwd, bound.agent, bound.session)
        answer = await output(view)
    except PlacetError as error:
        complain(str(error))
        return ExitCode.USAGE
    if isinstance(answer, list):
        say_lines(answer)
    else:
        say_json(answer)
    if problem := view.permissions.grants.problem:
        complain(problem)
    return ExitCode.DONE


async def open_view(cwd: Path, agent: str | None, session_id: str | None = None) -> View:
    """Return the permissions of a project, bound to the agent, or to the session's.

    Raises SettingsError, RequestError, StoreError.
    """
    config = await read_config(cwd)
    settings, locations = config.settings, config.locations
    built_in = builtin_rules()
    agents = await in_thread(config.catalog, built_in)
    workspace = Workspace((cwd.resolve(),))
    grants = Grants(GrantsFile(locations.grants), workspace.roots, locations.worktrees)
    permissions = Permissions(workspace, settings, locations, built_in, grants)
    if session_id is None:
        return View(permissions, Bound(agents.default if agent is None else agents.find(agent)))
    session, caution = await _session(locations, session_id)
    return View(permissions, Bound(agents.find(agent or session.agent), session.id, caution=caution))


async def _session(locations: Locations, session_id: str) -> "tuple[SessionInfo, Caution]":
    """Return the session, and the caution of the user's session above. Raises RequestError, StoreError."""
    from placet.sessions.store.session_store import SessionStore  # Only this option needs the store.
    from placet.storage.database import Database

    database = Database(locations.store)
    try:
        store = SessionStore(database)
        session = above = await store.info(await store.whole_id(session_id))
        while above.parent_id is not None:
            above = await store.info(above.parent_id)
        return session, above.caution or "default"
    finally:
        await database.close()


async def _backend(view: View) -> "Backend | str":
    """Return the sandbox that works here, as a trial shows, or why no trial can be made."""
    from placet.sandbox.sandbox import Sandbox  # Only a command line needs the trial.
    from placet.sandbox.this_host import this_host

    try:
        return await Sandbox(this_host(view.permissions.locations, os.environ), os.environ).backend()
    except (OSError, SandboxFailed) as error:
        return str(error)


def holds_here(outside: Explanation, inside: Explanation, settings: SandboxSettings, backend: "Backend | str") -> str:
    """Return the line about the outcome that holds on this machine: inside the sandbox, or without a sandbox.

    `backend` is the sandbox that works here, or the reason why no trial can be made; then no command runs.
    """
    if isinstance(backend, str):
        return f"here: refused, because the sandbox cannot be tried: {backend}"
    from placet.sandbox.diagnosis import summary

    if backend.level != "none":
        return f"here: {WORDS[inside.outcome]}, in the sandbox ({summary(backend)})"
    if settings.mode == "require":
        return f"here: refused, because `sandbox.mode` is `require` and there is no sandbox ({backend.reason})"
    return f"here: {WORDS[outside.outcome]}, without a sandbox ({backend.reason})"


def explained(explanation: Explanation) -> list[str]:
    """Return a block of lines per asked part: the part, the decision, and the rule or grant that decides."""
    width = max(map(len, WORDS.values()))
    lines = [line for judged in explanation.judged for line in _block(judged, width)]
    for text in explanation.unasked:
        lines += [f"{'allowed':{width}}  {text}", f"{'':{width}}  this part has no effect by itself, and needs no rule"]
    lines.append(f"outcome: {WORDS[explanation.outcome]}")
    if (inside := explanation.contained) is not None:
        lines += ["In the sandbox:", *(line for judged in inside.judged for line in _block(judged, width))]
        lines += [inside.refusal] if inside.refusal else []
        lines.append(f"outcome: {WORDS[inside.outcome]}")
    return lines


def _block(judged: PatternDecision, width: int) -> list[str]:
    subject = judged.pattern if judged.permission == "bash" else f"{judged.permission}: {judged.pattern}"
    by = [f"by {judged.by}"] if judged.grant is None else [f"by the grant {judged.grant}", f"overrides {judged.rule}"]
    return [f"{WORDS[judged.action]:{width}}  {subject}", *(f"{'':{width}}  {line}" for line in by)]
