"""Outcome of command hooks: the exit codes and the JSON of Claude Code's hooks, read and put together. Pure."""

import errno
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from msgspec import Struct

from placet.core.json.shallow import loads
from placet.core.messages import JsonObject
from placet.core.visible_text import one_line
from placet.extensions.command_hooks.table import CommandHook

BLOCKED = 2
"""Exit code by which a hook blocks."""
MOST_CHARACTERS = 10_000
"""Length of the longest text of a hook for the model."""
_BLOCKING = frozenset(("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop"))
"""Events at which a hook can block; at other events the reason is for the user alone."""
_SPEAKING = frozenset(("UserPromptSubmit", "SessionStart"))
"""Events at which plain output is context for the model."""
_LEAVING = ' (the hook ran in the sandbox; `"sandbox": false` beside `command` runs the hook outside)'

Decision = Literal["", "allow", "ask", "deny"]
_WEIGHTS: dict[Decision, int] = {"": 0, "allow": 1, "ask": 2, "deny": 3}


class HookEnding(Struct, frozen=True):
    """Ending of one hook's command."""

    code: int | None
    """Exit code; None if the command did not end in time or could not run."""
    output: str = ""
    errors: str = ""
    problem: str = ""
    """Reason why there is no exit code."""
    is_contained: bool = False
    """Whether the command ran in the sandbox."""


class Outcome(Struct, frozen=True):
    """Wishes of all hooks of an event."""

    block: str = ""
    """Reason for the model why the action is blocked, or what is wrong with the action; empty if no hook blocks."""
    decision: Decision = ""
    reason: str = ""
    """Reason of the decision."""
    updated_input: JsonObject | None = None
    context: tuple[str, ...] = ()
    """Texts for the model."""
    stop: str | None = None
    """Reason for the user why the turn ends; None if the turn goes on."""
    messages: tuple[str, ...] = ()
    """Texts for the user."""


def outcome_of(hook: CommandHook, ending: HookEnding) -> Outcome:
    """Return the wishes of one hook."""
    name = f"The hook `{one_line(hook.shown)[:80]}` ({hook.event})"
    if ending.code is None:
        return Outcome(messages=(f"{name} {ending.problem}. Placet went on without the hook.",))
    errors = ending.errors.strip()
    hint = _LEAVING if ending.is_contained and hook.owner.is_user else ""
    if ending.code == BLOCKED:
        reason = (errors or "The hook gave no reason.")[:MOST_CHARACTERS]
        if hook.event in _BLOCKING:
            # Many programs end with 2 for a mistake of their own; a shell does for a file that cannot be written.
            is_refused = bool(hint) and os.strerror(errno.EROFS) in errors
            return Outcome(block=reason, messages=(f"{name} blocked: {one_line(errors)[:500]}{hint}",) * is_refused)
        return Outcome(messages=(f"{name}: {reason}",))
    if ending.code:
        said = f": {one_line(errors)[:500]}" if errors else ""
        return Outcome(messages=(f"{name} failed with exit code {ending.code}{said}{hint}",))
    output = ending.output.strip()
    if not output.startswith("{"):
        is_context = output and hook.event in _SPEAKING
        return Outcome(context=(output[:MOST_CHARACTERS],)) if is_context else Outcome()
    try:
        answer: Any = loads(output)
    except ValueError as error:
        return Outcome(messages=(f"{name} printed JSON that cannot be read ({error}).",))
    return _answered(hook, cast("Mapping[str, Any]", answer))


def _answered(hook: CommandHook, answer: Mapping[str, Any]) -> Outcome:
    nested: Any = answer.get("hookSpecificOutput")
    specific = cast("Mapping[str, Any]", nested) if isinstance(nested, Mapping) else {}
    message, context = _text(answer.get("systemMessage")), _text(specific.get("additionalContext"))
    decision, reason = _decision(hook.event, answer, specific)
    blocks = answer.get("decision") == "block" and hook.event in _BLOCKING
    block = (_text(answer.get("reason")) or "The hook gave no reason.") if blocks else ""
    if decision == "deny":
        block = reason or block or "The hook gave no reason."
    updated: Any = specific.get("updatedInput") if hook.event == "PreToolUse" else None
    return Outcome(
        block=block,
        decision=decision,
        reason=reason,
        updated_input=cast("JsonObject", updated) if isinstance(updated, dict) else None,
        context=(context,) if context else (),
        stop=(_text(answer.get("stopReason")) or "A hook ended the turn.") if answer.get("continue") is False else None,
        messages=(message,) if message else (),
    )


def _decision(event: str, answer: Mapping[str, Any], specific: Mapping[str, Any]) -> tuple[Decision, str]:
    """Return the decision of a hook before a tool call, in the present form or the older form (`decision`)."""
    if event != "PreToolUse":
        return "", ""
    decision = specific.get("permissionDecision")
    if decision in ("allow", "ask", "deny"):
        return cast("Decision", decision), _text(specific.get("permissionDecisionReason"))
    older: dict[Any, Decision] = {"approve": "allow", "block": "deny"}
    written = answer.get("decision")
    return older.get(written, "") if isinstance(written, str) else "", _text(answer.get("reason"))


def _text(value: object) -> str:
    return value[:MOST_CHARACTERS] if isinstance(value, str) else ""


def merged(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the wishes together: the strictest decision counts, and the last changed input."""
    weightiest = max(outcomes, key=lambda outcome: _WEIGHTS[outcome.decision], default=Outcome())
    inputs = [outcome.updated_input for outcome in outcomes if outcome.updated_input is not None]
    return Outcome(
        block="\n".join(outcome.block for outcome in outcomes if outcome.block),
        decision=weightiest.decision,
        reason=weightiest.reason,
        updated_input=inputs[-1] if inputs else None,
        context=tuple(text for outcome in outcomes for text in outcome.context),
        stop=next((outcome.stop for outcome in outcomes if outcome.stop is not None), None),
        messages=tuple(dict.fromkeys(text for outcome in outcomes for text in outcome.messages)),
    )


def as_input(fields: JsonObject) -> bytes:
    """Return the input of a hook: one JSON object."""
    return json.dumps(fields).encode()
