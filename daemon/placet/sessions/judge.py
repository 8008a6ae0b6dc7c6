"""Automatic judge of permission requests, off by default: a small model that may allow what the user would be asked.

The judge never sees what a rule denies, and changes no denial. Without a clear answer the user is asked.
"""

import asyncio
import json
import logging
import re
import secrets
from collections.abc import Callable

from msgspec import Struct

from placet.core.errors import PlacetError
from placet.core.executor import in_thread
from placet.core.visible_text import one_line
from placet.model.select import ready_model
from placet.permissions.answerable import only_built_in_rules_ask
from placet.permissions.ask import Ask, Caller
from placet.project.files.private_file import PrivateFile
from placet.sessions.services.services import Services
from placet.sessions.turns.budget import Budget
from placet.sessions.turns.hidden_agents import ask_hidden_agent, hidden_agent
from placet.sessions.turns.models.profile import leaves_server_alone
from placet.sessions.turns.models.small_model import small_model
from placet.settings import Action, Locations

logger = logging.getLogger(__name__)

LONGEST_REQUEST = 8_000
"""Characters of the longest request that a judge is shown; a part of a request could hide the rest."""
LONGEST_REASON = 200

_ANSWER = re.compile(r"(?P<word>allow|ask)(?: (?P<code>\w+))?: *(?P<reason>[^\n]+)")


class Judgement(Struct, frozen=True):
    """Answer of the judge to a request."""

    action: Action
    reason: str
    permission: str
    patterns: tuple[str, ...]
    model: str


async def judged(services: Services, ask: Ask, caller: Caller, new_code: Callable[[], str] | None = None) -> Action:
    """Return "allow" if the judge allows the request that would be put to the user, else "ask".

    `new_code` makes the code that an allowance has to repeat, which nobody could write into the request before.
    """
    settings = services.settings.judge
    agent = hidden_agent(services, "judge")
    if agent is None or not is_for_judge(ask, caller):
        return "ask"
    shown = request_text(ask)
    name = settings.model or agent.model or await small_model(services, services.settings.model)
    if name is None or name.startswith("builtin/") or len(shown) > LONGEST_REQUEST:
        return "ask"
    if await leaves_server_alone(name, services.settings.model, None, services):
        return "ask"
    code = (new_code or _new_code)()
    meter = Budget(services.store.accounts, services.settings.max_cost, caller.session_id).meter
    try:
        async with asyncio.timeout(settings.timeout_seconds):
            model = await ready_model(name, services.settings, services.host)
            answer = await ask_hidden_agent(
                services, caller.session_id, agent, model, f"{shown}\n\nCODE: {code}", kind="judge", meter=meter
            )
    except (PlacetError, TimeoutError) as error:
        action, reason = "ask", f"no answer: {str(error) or 'it took too long'}"
    else:
        action, reason = answered(answer, code)
    logger.info("The judge %s says %s to %s of %s: %s", name, action, ask.permission, list(ask.patterns), reason)
    judgement = Judgement(action, reason, ask.permission, ask.patterns, name)
    try:
        await in_thread(write_last, services.locations, judgement)
    except OSError as error:
        logger.warning("The last judgement cannot be kept: %s", error)
    return action


def is_for_judge(ask: Ask, caller: Caller) -> bool:
    """Return whether a judge may answer: only the built-in rules ask, and nothing needs the user himself."""
    return not ask.is_contained and ask.change is None and only_built_in_rules_ask(ask, caller)


def request_text(ask: Ask) -> str:
    """Return the request as JSON on one line, in which no line break and no quote of the request is left as it is."""
    return json.dumps(
        {
            "permission": ask.permission,
            "command": ask.command,
            "directory": None if ask.directory is None else str(ask.directory),
            "url": ask.url,
            "patterns": list(ask.patterns),
        }
    )


def answered(answer: str, code: str) -> tuple[Action, str]:
    """Return the judge's action and reason; an answer of any other form, or with another code, allows nothing."""
    match = _ANSWER.fullmatch(answer.strip())
    if match is None:
        return "ask", "the answer was not understood"
    reason = one_line(match["reason"])[:LONGEST_REASON]
    if match["word"] == "allow":
        return ("allow", reason) if match["code"] == code else ("ask", "the answer did not repeat the code")
    return "ask", reason


def write_last(locations: Locations, judgement: Judgement) -> None:
    """Keep the judgement for `placet permissions explain --last`. Raises OSError."""
    values = {name: getattr(judgement, name) for name in judgement.__struct_fields__}
    _last(locations).write(json.dumps(values))


def read_last(locations: Locations) -> Judgement | None:
    """Return the last judgement of this user's daemons, or None. Raises OSError, ValueError."""
    text = _last(locations).read()
    if text is None:
        return None
    values = json.loads(text)
    return Judgement(
        values["action"], values["reason"], values["permission"], tuple(values["patterns"]), values["model"]
    )


def _last(locations: Locations) -> PrivateFile:
    return PrivateFile(locations.log / "judge.json")


def _new_code() -> str:
    return secrets.token_hex(4)
