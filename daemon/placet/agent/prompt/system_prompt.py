"""System prompt: the agent's own text, the place of work, and the rules to follow. Pure.

The system prompt stays the same for a whole session, so that the providers' cache of the prompt stays valid;
`changes_reminder` tells the model of later changes.
"""

import platform
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from placet.agent.agents.agent import Agent
from placet.core.messages import Value
from placet.project.git.repository import Repository
from placet.project.paths import Workspace
from placet.settings.profile import Profile
from placet.tools.framework.facts import edits_by_patch

ENVIRONMENT = "environment"
"""Name of the piece with the place and the date; other pieces are named by the file or address of the rules."""
MOST_CHARACTERS = 100_000
"""Maximum number of characters of all rules together; rules beyond the maximum are only named."""

MOST_CHARACTERS_OF_SMALL = 1200
"""Maximum for the profiles `small` and `smallest`: about 300 tokens."""

_BY_PATCH = "You edit by `apply_patch` alone. Where this text speaks of `edit` or `write`, do it by `apply_patch`."


class Piece(Value):
    """A part of the system prompt that may change while a session goes on."""

    name: str
    text: str


def environment(workspace: Workspace, repositories: Mapping[Path, Repository | None]) -> Piece:
    """Return the piece about the place of work; `repositories` are the repositories around the workspace's roots."""
    roots = "\n".join(f"  {root}" for root in workspace.roots)
    git = "\n".join(f"  {root}: {_described(repositories.get(root))}" for root in workspace.roots)
    return Piece(
        name=ENVIRONMENT,
        text="<env>\n"
        f"Folders of the project (relative paths start at the first):\n{roots}\n"
        f"Git:\n{git}\n"
        f"Platform: {platform.system().lower()}\n"
        f"Today: {date.today().isoformat()}\n"  # noqa: DTZ011 the user's own calendar
        "</env>",
    )


def _described(repository: Repository | None) -> str:
    if repository is None:
        return "no repository"
    return f"on branch {repository.branch}" if repository.branch else "a repository, on no branch"


def system_messages(agent: Agent, model: str, pieces: Sequence[Piece], profile: Profile = "full") -> tuple[str, ...]:
    """Return the system messages in order: the agent's text, the environment, the rules, each under the source."""
    agent_text = agent.prompt if profile == "full" else agent.short_prompt or agent.prompt
    if edits_by_patch(model):
        agent_text = f"{agent_text.rstrip()}\n\n{_BY_PATCH}\n"
    where = [piece.text for piece in pieces if piece.name == ENVIRONMENT]
    rules = "\n\n".join(_headed(piece) for piece in pieces if piece.name != ENVIRONMENT)
    return (agent_text, *where, rules) if rules else (agent_text, *where)


def _headed(piece: Piece) -> str:
    return f"Instructions from {piece.name}:\n{piece.text}"


def few_rules(rules: Sequence[Piece]) -> list[Piece]:
    """Return the rules within the bounds of a small model."""
    return within_bounds(rules, MOST_CHARACTERS_OF_SMALL)[0]


def within_bounds(rules: Sequence[Piece], most_characters: int = MOST_CHARACTERS) -> tuple[list[Piece], list[str]]:
    """Return the rules, where rules without room are reduced to a note; and the names of the reduced rules."""
    shown: list[Piece] = []
    left_out: list[str] = []
    room = most_characters
    for piece in rules:
        room -= len(piece.text)
        if room >= 0:
            shown.append(piece)
            continue
        room += len(piece.text)
        left_out.append(piece.name)
        note = f"({len(piece.text)} characters, left out as there is no room; read it when it matters.)"
        shown.append(Piece(name=piece.name, text=note))
    return shown, left_out


def changes_reminder(known_pieces: Sequence[Piece], current_pieces: Sequence[Piece]) -> str:
    """Return the text on the changes for an agent which knows the `known_pieces`; empty if nothing has changed."""
    before = {piece.name: piece.text for piece in known_pieces}
    after = {piece.name: piece.text for piece in current_pieces}
    changes = [_changed(name, before.get(name), text) for name, text in after.items() if before.get(name) != text]
    changes += [f"The instructions from {name} no longer hold: they are gone." for name in before if name not in after]
    if not changes:
        return ""
    reminder = "\n\n".join(("This has changed, and takes the place of what you were told before.", *changes))
    return f"<system-reminder>\n{reminder}\n</system-reminder>"


def _changed(name: str, before: str | None, after: str) -> str:
    if name == ENVIRONMENT:
        return f"The environment is now:\n{after}"
    if before is None:
        return f"New instructions from {name}:\n{after}"
    from placet.text.diff import unified_diff  # Few sessions outlive a change of their instructions.

    difference = unified_diff(f"{before}\n", f"{after}\n", "before", "now")
    if len(difference) < len(after) / 2:
        return f"The instructions from {name} have changed:\n{difference.rstrip()}"
    return f"The instructions from {name} are now:\n{after}"
