"""Texts about a session for the user, in front ends that show facts as lines of text."""

from collections.abc import Iterator, Sequence

from placet.core.effort import Effort, named
from placet.core.errors import RequestError
from placet.core.visible_text import command_title, one_line
from placet.permissions.caution import CAUTION_TITLES, Caution
from placet.permissions.lint import warnings
from placet.project.processes.background_jobs import Job
from placet.sessions.asks.permission_info import permission_lines
from placet.sessions.registry import Sessions
from placet.sessions.services.login import Login
from placet.sessions.session import Session
from placet.sessions.store.usage import SessionUsage, Spent, dollars
from placet.settings.profile import ProfileInUse
from placet.settings.review_modes import REVIEW_MODES, ReviewMode
from placet.text.counted import counted

KEYS = {
    "environment": "key from the environment",
    "keyring": "key from the keyring",
    "file": "key from the file of `placet auth`",
    "missing": "no key: sign in, or `placet auth login PROVIDER` in a terminal",
    "not_needed": "needs no key",
}


def fact(name: str, value: str) -> str:
    """Return a line of a status: the name in a column, and the value."""
    return f"{name:12} {value}"


def choice_lines(
    agent: str, model: Login, effort: Effort | None, profile: ProfileInUse, review: ReviewMode, caution: Caution
) -> Iterator[str]:
    """Yield a line for each choice of a session, or of the session that the next prompt makes."""
    yield fact("Agent", agent)
    yield fact("Model", f"{model.id} ({KEYS[model.key]})")
    if effort is not None:
        yield fact("Effort", named(effort))
    yield fact("Profile", f"{profile.profile}: {profile.reason}")
    yield fact("Review", REVIEW_MODES[review].title)
    yield fact("How careful", CAUTION_TITLES[caution])


async def state_lines(session: Session, reviewer: str) -> list[str]:
    """Return lines about the MCP servers and the changes to review; `reviewer` is the command for the changes.

    Raises StoreError.
    """
    lines = [fact(f"MCP {one_line(server.name)}", server.state.replace("_", " ")) for server in session.servers.servers]
    if count := len(await session.change_set.views()):
        lines.append(fact("To review", f"{counted(count, 'file')} (`{reviewer}`)"))
    return lines


def cost_lines(usage: SessionUsage | None) -> list[str]:
    """Return the tokens and the cost of a session with the subagents of the session."""
    if usage is None or not (usage.tokens.total or usage.cost):
        return ["This session has spent nothing."]
    tokens = usage.tokens
    lines = [
        fact("Tokens", f"{tokens.total:,}"),
        fact("Input", f"{tokens.input + tokens.cache_write:,}, and {tokens.cache_read:,} from the cache"),
        fact("Output", f"{tokens.output:,}"),
        fact("Cost", _cost(usage)),
    ]
    if usage.subagents is not None:
        lines.append(fact("Subagents", f"{usage.subagents.tokens.total:,} of the tokens, {_cost(usage.subagents)}"))
    return lines


def _cost(spent: Spent) -> str:
    return dollars(spent.cost) if spent.cost else "no known price"


def job_lines(jobs: Sequence[Job]) -> list[str]:
    """Return a line for each command in the background."""
    if not jobs:
        return ["This session has no command in the background."]
    return [f"{job.id:8} {_job_state(job):16} {command_title(job.line)}" for job in jobs]


def _job_state(job: Job) -> str:
    match job.ending:
        case None:
            return "runs"
        case ending if ending.reason == "exit":
            return f"ended, exit {ending.code}"
        case ending if ending.reason == "flood":
            return "wrote too much"
        case _:
            return "was killed"


async def permission_texts(sessions: Sessions, session_id: str | None, agent: str | None = None) -> list[str]:
    """Return the lines about the rules and grants in a session, or for the agent in a session to come.

    Raises PlacetError.
    """
    permissions = sessions.permissions
    rules = permissions.rules(await sessions.bound(agent, session_id))
    return permission_lines(rules, warnings(rules), permissions.granted(session_id or ""))


async def renamed(session: Session, written: str) -> str:
    """Give the session a title; return words about the title. Raises RequestError for no title."""
    title = " ".join(written.split())
    if not title:
        raise RequestError(f"Write the new title behind `/rename`. The title is: {one_line(session.info.title)}")
    info = await session.choices.set_title(title)
    return f"The title is now: {one_line(info.title)}"
