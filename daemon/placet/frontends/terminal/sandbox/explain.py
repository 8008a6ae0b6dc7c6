"""`placet sandbox explain`: the limits of a command line, the reason to leave the sandbox, and the decision."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from placet.core.errors import PlacetError
from placet.core.executor import in_thread
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import complain, say_json, say_lines
from placet.frontends.terminal.permissions import WORDS, View, explained, open_view
from placet.permissions.decision import is_grantable
from placet.permissions.explain import Explanation
from placet.permissions.explain import explain as explain_asks
from placet.permissions.leaving import SANDBOX
from placet.permissions.rules import evaluate, only_reads, root_names
from placet.sandbox.diagnosis import summary
from placet.sandbox.examination import Examination, containment_as_data, examine
from placet.sandbox.sandbox import Sandbox
from placet.sandbox.this_host import this_host
from placet.sessions.asks.permission_info import explanation_info
from placet.settings import Action
from placet.settings.models import SandboxSettings
from placet.tools.framework.access import reading_rules
from placet.tools.shell.permission import CommandAsks, asks_for_command, findings_of

_MOST_PATHS = 6
"""Number of paths that a line of words names."""


@dataclass(frozen=True, slots=True)
class _Explained:
    """Command line with the sandbox and the decision."""

    line: str
    settings: SandboxSettings
    examination: Examination
    asked: CommandAsks
    decision: Explanation

    @property
    def place(self) -> Literal["inside", "outside", "refused"]:
        if self.asked.refusal or self.is_missing_required:
            return "refused"
        return "inside" if self.asked.permit.is_contained else "outside"

    @property
    def is_missing_required(self) -> bool:
        return self.settings.mode == "require" and self.examination.backend.level == "none"

    @property
    def reason(self) -> str:
        """Return why the line does not run inside, or ""."""
        backend = self.examination.backend
        if self.place == "inside":
            return ""
        if self.asked.refusal:
            return self.asked.refusal
        if self.settings.mode == "off":
            return "the setting `sandbox.mode` is off"
        if backend.level == "none":
            return backend.reason
        leaving = next((ask for ask in self.asked.asks if ask.permission == SANDBOX), None)
        if leaving is None:
            return "the setting `sandbox.excluded` names the command"
        return leaving.note or "the command writes where the sandbox cannot be opened"


async def explain(line: str, *, cwd: Path, agent: str | None, as_json: bool) -> ExitCode:
    """Print the explanation; nothing runs but a trial of the sandbox."""
    try:
        view = await open_view(cwd, agent)
        facts = await _examined(line, view)
    except PlacetError as error:
        complain(str(error))
        return ExitCode.USAGE
    if as_json:
        say_json(_as_data(facts))
    else:
        say_lines(_in_words(facts))
    return ExitCode.DONE


async def _examined(line: str, view: View) -> _Explained:
    permissions, bound = view.permissions, view.bound
    settings, workspace = permissions.settings.sandbox, permissions.workspace
    rules = permissions.rules(bound)
    host = this_host(permissions.locations, os.environ)
    sandbox = Sandbox(host, os.environ)
    roots = root_names(workspace.roots)
    find_grant = partial(permissions.grants.find, session_id="")

    def judge(permission: str, pattern: str) -> Action:
        rule = evaluate(rules, permission, pattern, roots)
        is_granted = is_grantable(rule) and find_grant(permission, pattern) is not None
        return "allow" if is_granted else rule.action

    reading = reading_rules(workspace, judge, rules)
    examination = await examine(sandbox, host, settings, workspace.roots, only_reads=only_reads(rules), reading=reading)
    has_sandbox = settings.mode != "off" and examination.backend.level != "none"
    asked = await in_thread(
        lambda: asks_for_command(
            workspace,
            line,
            findings_of(line, workspace.root),
            workspace.root,
            judge,
            only_reads=only_reads(rules),
            sandbox=examination.offered if has_sandbox else None,
        )
    )
    decision = explain_asks(asked.asks, rules, roots, find_grant, refusal=asked.refusal)
    return _Explained(line, settings, examination, asked, decision)


def _as_data(facts: _Explained) -> dict[str, object]:
    backend, permit = facts.examination.backend, facts.asked.permit
    return {
        "command": facts.line,
        "sandbox": {"name": backend.name, "level": backend.level, "version": backend.version, "reason": backend.reason},
        "place": facts.place,
        "reason": facts.reason,
        "proposes": facts.place == "inside" and permit.proposes and not facts.examination.against_overlays,
        "lifted": [str(path) for path in (*permit.lifted, *permit.shown)],
        "decision": explanation_info(facts.decision, "").dump(),
        "containment": containment_as_data(facts.examination),
        "problems": list(facts.examination.problems),
    }


def _in_words(facts: _Explained) -> list[str]:
    rows = [("sandbox", summary(facts.examination.backend)), ("runs", _place_in_words(facts))]
    rows.append(("decision", WORDS[facts.decision.outcome]))
    if facts.place == "inside":
        rows += _limits_in_words(facts)
    width = max(len(name) for name, _ in rows)
    lines = [f"{name:{width}}  {text}" for name, text in rows]
    lines += [f"! {problem}" for problem in facts.examination.problems]
    return [*lines, "", *explained(facts.decision)]


def _place_in_words(facts: _Explained) -> str:
    match facts.place:
        case "inside":
            return "inside the sandbox"
        case "refused":
            return f"not at all: {facts.reason}"
        case "outside":
            return f"outside of the sandbox, with your rights: {facts.reason}"


def _limits_in_words(facts: _Explained) -> list[tuple[str, str]]:
    limits, protections = facts.examination.containment, facts.examination.protections
    network = {
        "off": "none",
        "ask": "Placet asks about each host",
        "allow": "your network, without limits",
    }[limits.network]
    files = [file.path for file in protections.hidden if file.path not in facts.asked.permit.shown]
    hidden = (*files, *protections.masked_directories, *protections.masked_files)
    hosts = f"; open: {', '.join(limits.domains)}" if limits.domains and limits.network == "ask" else ""
    return [
        ("changes", _changes_in_words(facts)),
        ("writes in", _listed((*limits.writable, *facts.asked.permit.writable)) or "no directory"),
        ("protected", _listed(protections.protected) or "nothing"),
        ("hidden", _listed(hidden) or "nothing"),
        ("network", network + hosts),
        ("sockets", _listed(limits.sockets) or "none of yours"),
        ("caches", "yours" if limits.shares_caches else "private to the project"),
    ]


def _changes_in_words(facts: _Explained) -> str:
    reason = facts.examination.against_overlays
    if facts.examination.containment.only_reads:
        return "none: the agent writes nowhere"
    if facts.asked.permit.proposes and not reason:
        return "proposed in the review, where no rule of yours allows the command"
    return f"made at once, and undone by undo{f': {reason}' if reason else ''}"


def _listed(paths: Sequence[Path]) -> str:
    names = ", ".join(map(str, paths[:_MOST_PATHS]))
    return f"{names} and {len(paths) - _MOST_PATHS} more" if len(paths) > _MOST_PATHS else names
