"""Messages of commits, by the hidden agent `commit`: for staged changes, else for all changes, or for a diff."""

import re
from collections.abc import Callable
from pathlib import Path

from placet.agent.prompt.diff_excerpt import excerpt
from placet.agent.turn.attempts import with_retries
from placet.core.errors import ModelError, RequestError
from placet.core.executor import in_thread
from placet.core.ids import new_id
from placet.model.base import Model
from placet.model.select import ready_model
from placet.model.token_estimate import CHARACTERS_PER_TOKEN
from placet.project.git.query import git
from placet.project.paths import is_directory
from placet.sessions.services.services import Services
from placet.sessions.turns.budget import Budget
from placet.sessions.turns.hidden_agents import ask_hidden_agent, hidden_agent
from placet.sessions.turns.models.fallback_models import ask_with_fallback
from placet.sessions.turns.models.small_model import small_model

MOST_SHOWN = 60_000
"""Characters of the diff shown to the model."""
MOST_DIFF_BYTES = 4_000_000
SUBJECTS = 12

_DIFF = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--ignore-submodules=dirty")
_THINKING = re.compile(r"<think>.*?(</think>|\Z)", re.DOTALL)
_FENCED = re.compile(r"\A```\w*\n(.*?)\n?```\Z", re.DOTALL)


async def commit_message(
    services: Services,
    root: Path,
    may_show: Callable[[str], bool],
    *,
    diff: str | None = None,
    requested_model: str | None = None,
) -> str:
    """Return the message that the agent proposes.

    `may_show` returns whether the lines of the file with this name may be shown to a model. Raises RequestError without
    changes or without an agent or model that can write the message, SettingsError, ModelError, TurnStopped.
    """
    agent = hidden_agent(services, "commit")
    if agent is None:
        raise RequestError("The agent `commit`, which writes commit messages, is disabled.")
    usual = services.settings.model
    name = requested_model or agent.model or await small_model(services, usual) or usual
    if name.startswith("builtin/"):
        raise RequestError(f"{name} cannot write commit messages. Choose another model, or set `agent.commit.model`.")
    model = await ready_model(name, services.settings, services.host)
    room = MOST_SHOWN
    if model.context_size is not None:
        room = min(room, model.context_size * CHARACTERS_PER_TOKEN // 4)
    diff = await _changes(root) if diff is None else diff
    if not diff.strip():
        raise RequestError(f"There is nothing to commit in {root}: no tracked file has changed.")
    shown = _shown(await in_thread(excerpt, diff, room, may_show), await _subjects(root))
    session_id = new_id("ses")  # The message belongs to no conversation.
    meter = Budget(services.store.accounts, services.settings.max_cost, session_id).meter

    async def ask(model: Model) -> str:
        answer = await ask_hidden_agent(services, session_id, agent, model, shown, kind="commit", meter=meter)
        if not (text := message_in(answer)):
            raise ModelError("empty_answer", "The model wrote no commit message.", hint="Try again.")
        return text

    wait_seconds = services.settings.model_options.max_retry_wait_seconds

    async def ask_with_retries(model: Model) -> str:
        return await with_retries(lambda: ask(model), longest_wait_seconds=wait_seconds, on_retry=_unheard)

    return await ask_with_fallback(services, model, ask_with_retries)


def message_in(answer: str) -> str:
    """Return the message in a model's answer, or an empty text for an answer without a message."""
    text = _THINKING.sub("", answer).strip()
    fenced = _FENCED.match(text)
    lines = (fenced[1] if fenced is not None else text).strip().splitlines()
    return "\n".join(line.rstrip() for line in lines)


async def _changes(root: Path) -> str:
    """Return the staged changes, or else all changes. Raises RequestError outside a repository."""
    if not await in_thread(is_directory, root):
        raise RequestError(f"There is no folder {root}.")
    staged = await git(root, *_DIFF, "--cached", most_bytes=MOST_DIFF_BYTES)
    diff = staged or await git(root, *_DIFF, most_bytes=MOST_DIFF_BYTES)
    if staged is None or diff is None:
        raise RequestError(
            f"git reports no changes of {root}: the folder is in no repository, or git is not installed."
        )
    return diff.decode("utf-8", "replace")


async def _subjects(root: Path) -> str:
    """Return the subjects of the last commits, the latest first, or an empty text if the log is empty."""
    log = await git(root, "log", f"--max-count={SUBJECTS}", "--no-merges", "--format=%s", most_bytes=20_000)
    return "" if log is None else log.decode("utf-8", "replace").strip()


def _shown(diff: str, subjects: str) -> str:
    last = f"<last_subjects>\n{subjects}\n</last_subjects>\n\n" if subjects else ""
    return f"{last}<diff>\n{diff.rstrip()}\n</diff>\n\nWrite the message of the commit that makes these changes."


def _unheard(attempt: int, wait_seconds: float, error: ModelError) -> None:
    """Ignore a retry, as no turn is at hand to show the retry."""
