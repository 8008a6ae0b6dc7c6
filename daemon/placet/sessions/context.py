"""What a session's models are given beside the user's words: the system prompt, its news, what a prompt points at."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from placet.agent.agents import Agent
from placet.agent.history import model_history
from placet.agent.references import attach_references
from placet.agent.rules_files import RulesSources
from placet.agent.surroundings import Surroundings
from placet.changes.ledger import Ledger
from placet.messages import Part
from placet.sessions.house import House
from placet.sessions.recorder import Recorder
from placet.sessions.system_prompts import Opening, SystemPrompts
from placet.settings import Action
from placet.tools.define import Judge


@dataclass(frozen=True, slots=True)
class TurnOpening:
    """What a turn begins with."""

    system: tuple[str, ...]
    parts: tuple[Part, ...]
    """Of the user message."""
    prompt: Opening


class SessionContext:
    """One session's."""

    def __init__(self, house: House, recorder: Recorder, ledger: Ledger) -> None:
        self._judge: Judge = _ask
        """What the rules of the agent at work say."""
        self._messages = lambda: recorder.transcript.messages
        self._is_the_users = recorder.info.parent_id is None
        self._house = house
        self._surroundings = Surroundings(
            workspace=house.workspace,
            documents=house.ports.documents,
            features=house.ports.features,
            ledger=ledger,
            judge=lambda permission, pattern: self._judge(permission, pattern),
            subagents=lambda: house.agents.subagents,
            history=lambda: model_history(recorder.transcript.messages),
            resources=house.extensions.resources(house.locations.outputs_of(recorder.info.id)),
        )
        self._prompts = SystemPrompts(
            recorder.info.id,
            house.database,
            RulesSources(
                workspace=house.workspace,
                config=house.locations.config,
                instructions=house.settings.instructions,
                read=house.ports.documents.read,
                note=ledger.note_standing,
            ),
        )

    async def open_turn(
        self, agent: Agent, model: str, judge: Judge, parts: Sequence[Part], mentions: str = ""
    ) -> TurnOpening:
        """The system messages, and the user's parts with what they point at and what is news. Raises StoreError.

        `mentions` is a command's text, of which that is shown as well what may be read without asking.

        Once the message is in the conversation, call `note_told`.
        """
        self._judge = judge
        workspace = self._house.workspace
        self._surroundings = replace(self._surroundings, workspace=workspace)
        self._prompts.sources = replace(self._prompts.sources, workspace=workspace)
        prompt = await self._prompts.open_turn(agent, model, judge, self._messages())
        news = () if prompt.news is None else (prompt.news,)
        return TurnOpening(prompt.system, (*await self.attach(parts, mentions), *news), prompt)

    def note_told(self, opening: TurnOpening, message_id: str) -> None:
        """The user message with the opening's parts is in the conversation."""
        self._prompts.note_told(opening.prompt, message_id)

    async def within_turn(self, agent: Agent, model: str, judge: Judge) -> tuple[str, ...]:
        """The system messages for the turn's next step. Raises StoreError."""
        self._judge = judge
        return await self._prompts.within_turn(agent, model, judge, self._messages())

    async def attach(self, parts: Sequence[Part], mentions: str = "") -> tuple[Part, ...]:
        """The parts of a prompt, and what they point at; the text of a subagent's, which a model wrote, does not."""
        return await attach_references(
            parts, self._surroundings, with_mentions=self._is_the_users, mentioned_by_command=mentions
        )


def _ask(permission: str, pattern: str) -> Action:
    return "ask"
