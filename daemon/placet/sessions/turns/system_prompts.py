"""The system prompts of a session, by agent and model: made once and stored; later changes are told once."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from placet.agent.agents.agent import Agent
from placet.agent.context.history import model_history
from placet.agent.prompt.rules_files import RulesSource, RulesSources, gather_rules, located_rules
from placet.agent.prompt.rules_pages import is_address
from placet.agent.prompt.system_prompt import Piece, changes_reminder, environment, few_rules, system_messages
from placet.core.executor import in_thread
from placet.core.messages import Message, TextPart, Value
from placet.core.values import replace
from placet.project.git.repository import Repository, repository_of
from placet.project.paths import Workspace
from placet.settings.profile import Profile
from placet.storage.database import Database
from placet.tools.framework.context import Judge


class Prompted(Struct, frozen=True):
    """Agent and model of a system prompt, and the profile of the model."""

    agent: Agent
    model: str
    profile: Profile = "full"


class FrozenPrompt(Value):
    """A system prompt as it stays, and what the model it was made for knows by now."""

    agent: str
    model: str
    profile: Profile = "full"
    """Profile for which the prompt was made."""
    system: tuple[str, ...]
    known: tuple[Piece, ...]
    """The pieces of the prompt, each as it stood there or was told later."""
    told_in: tuple[str, ...] = ()
    """The user messages that told of changes."""

    def is_whole_in(self, messages: Sequence[Message]) -> bool:
        """Return whether the model still sees every message about changes: a compaction or an undo may remove some."""
        return not self.told_in or set(self.told_in) <= {message.id for message in model_history(messages)}

    def with_reminder(
        self, previous_pieces: Iterable[Piece], current_pieces: Sequence[Piece], message_id: str
    ) -> "FrozenPrompt":
        """Return the prompt after a reminder of `current_pieces` to a model that knew `previous_pieces`.

        A piece that this prompt knew otherwise is left for a later message: the piece may have been told as a
        difference.
        """
        old, new = _texts(previous_pieces), _texts(current_pieces)
        mine = _texts(self.known)
        changed = {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}
        understood = {name for name in changed if mine.get(name) == old.get(name)}
        if not understood:
            return self
        unchanged = [piece for piece in self.known if piece.name not in understood]
        learnt = [piece for piece in current_pieces if piece.name in understood]
        return self.model_copy(update={"known": (*unchanged, *learnt), "told_in": (*self.told_in, message_id)})


class Opening(Struct, frozen=True):
    """Opening of a turn: the system messages, and the news of changes for the user message, if any."""

    system: tuple[str, ...]
    news: TextPart | None
    previous_pieces: tuple[Piece, ...]
    current_pieces: tuple[Piece, ...]


class SystemPrompts:
    """System prompts of a session's models, the same after a restart; SessionContext owns this object."""

    def __init__(
        self,
        session_id: str,
        database: Database,
        sources: RulesSources,
        instructions: Callable[[], Sequence[tuple[str, str]]] = tuple,
    ) -> None:
        """Create the prompts; `instructions` returns the name and the instructions of each connected MCP server."""
        self._session_id = session_id
        self._instructions = instructions
        self._database = database
        self._sources = sources
        self._frozen: dict[tuple[str, str], FrozenPrompt] | None = None
        """The prompts by agent and model; None until the store was read."""

    def work_in(self, workspace: Workspace) -> None:
        """Look for rules in the folders of this workspace from the next turn on."""
        self._sources = replace(self._sources, workspace=workspace)

    async def open_turn(self, prompted: Prompted, judge: Judge, messages: Sequence[Message]) -> Opening:
        """Return the system messages as first made, and the news. Once the news is stored, call `note_reminder`."""
        self._frozen = None  # Another process may have gone on with the session meanwhile.
        current_pieces = await self._pieces(prompted, judge)
        if (frozen := await self._find(prompted, messages)) is None:
            frozen = self._freeze(prompted, current_pieces)
        reminder = changes_reminder(frozen.known, current_pieces)
        return Opening(
            frozen.system, TextPart(text=reminder, synthetic=True) if reminder else None, frozen.known, current_pieces
        )

    def note_reminder(self, opening: Opening, message_id: str) -> None:
        """Note that the user message with the opening's news is in the conversation."""
        if opening.news is None or self._frozen is None:
            return
        for frozen in list(self._frozen.values()):
            updated = frozen.with_reminder(opening.previous_pieces, opening.current_pieces, message_id)
            if updated is not frozen:
                self._keep(updated)

    async def within_turn(self, prompted: Prompted, judge: Judge, messages: Sequence[Message]) -> tuple[str, ...]:
        """Return the system messages for the turn's next step; changes meanwhile wait for the next user message."""
        if (frozen := await self._find(prompted, messages)) is None:
            frozen = self._freeze(prompted, await self._pieces(prompted, judge))
        return frozen.system

    async def _find(self, prompted: Prompted, messages: Sequence[Message]) -> FrozenPrompt | None:
        """Return the valid prompt, or None if a new prompt is due.

        A new prompt is due at first, in another profile, and after a lost message on changes.
        """
        frozen = (await self._all()).get((prompted.agent.name, prompted.model))
        if frozen is None or frozen.profile != prompted.profile or not frozen.is_whole_in(messages):
            return None
        return frozen

    def _freeze(self, prompted: Prompted, pieces: tuple[Piece, ...]) -> FrozenPrompt:
        agent, model, profile = prompted.agent, prompted.model, prompted.profile
        system = system_messages(agent, model, pieces, profile)
        return self._keep(FrozenPrompt(agent=agent.name, model=model, profile=profile, system=system, known=pieces))

    async def _pieces(self, prompted: Prompted, judge: Judge) -> tuple[Piece, ...]:
        """Return the pieces as of now, within the bounds of the profile. A page is fetched once a session."""
        sources = self._sources

        def look() -> tuple[dict[Path, Repository | None], list[RulesSource]]:
            return {root: repository_of(root) for root in sources.workspace.roots}, located_rules(sources, judge)

        stored, (repositories, located) = await asyncio.gather(self._all(), in_thread(look))
        known_pieces = [piece for frozen in stored.values() for piece in frozen.known]
        pages = {piece.name: piece.text for piece in known_pieces if is_address(piece.name)}
        rules = await gather_rules(located, sources, judge, pages)
        of_servers = (Piece(name=f"the MCP server {name}", text=text) for name, text in self._instructions())
        where = environment(sources.workspace, repositories)
        if prompted.profile != "full":  # The tools of MCP servers are not on offer.
            return (where, *few_rules(rules))
        return (where, *rules, *of_servers)

    async def _all(self) -> dict[tuple[str, str], FrozenPrompt]:
        if self._frozen is None:
            rows = await self._database.read("SELECT body FROM system_prompt WHERE session_id = ?", (self._session_id,))
            stored = [FrozenPrompt.model_validate_json(row["body"]) for row in rows]
            self._frozen = {(prompt.agent, prompt.model): prompt for prompt in stored}
        return self._frozen

    def _keep(self, frozen: FrozenPrompt) -> FrozenPrompt:
        assert self._frozen is not None, "the stored ones are looked at first"
        self._frozen[frozen.agent, frozen.model] = frozen
        self._database.write(
            # Another process may have deleted the session, and a broken foreign key would fail the whole store.
            "INSERT INTO system_prompt (session_id, agent, model, body)"
            " SELECT ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM session WHERE id = ?1)"
            " ON CONFLICT (session_id, agent, model) DO UPDATE SET body = excluded.body",
            (self._session_id, frozen.agent, frozen.model, frozen.model_dump_json(by_alias=True)),
        )
        return frozen


def _texts(pieces: Iterable[Piece]) -> dict[str, str]:
    return {piece.name: piece.text for piece in pieces}
