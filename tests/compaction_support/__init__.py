"""Turns of a conversation that grows long: a scripted model, a tool that gives as much as it is asked for."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from loop_support import bare_context
from model_support.chat import chat_messages
from placet.agent.agents.agent import Agent
from placet.agent.context.compaction_plan import CompactionOptions
from placet.agent.turn.loop import run_turn
from placet.agent.turn.turn import Turn
from placet.core.events import AgentMessageChanged, Compaction, Update, UserMessageAdded
from placet.core.messages import Message, TextPart, Tokens, ToolCompleted, ToolPart, UserMessage
from placet.core.transcript import Transcript
from placet.model.scripted import Error, ScriptedCall, ScriptedModel, Text, Usage
from placet.model.scripted import Turn as Answer
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import AgentView, Arguments, Definition, ReadyTool, ToolResult, define_tool

AGENT = Agent(name="build", description="", prompt="Work.")
DONE = Answer([Text("Done.")])
SUMMARY = Answer([Text("## Goal\nThe sum of it all.")])
OVERFLOW = Answer([Error("context_overflow", "The conversation is too long.")])


def used(tokens: int) -> Usage:
    return Usage(Tokens(input=tokens))


def look(characters: int = 10, tokens: int = 100) -> Answer:
    """The model looks at something of this size, having been given so many tokens."""
    return Answer([ScriptedCall("look", {"characters": characters}), used(tokens)])


class Look(Arguments):
    characters: int


async def _look(arguments: Look, context: ToolContext) -> ToolResult:
    return ToolResult(title="", output="x" * arguments.characters)


class Bench:
    """Turns of one conversation with a scripted model whose context holds 10,000 tokens."""

    def __init__(self, *answers: Answer, context_size: int | None = 10_000, **options: Any) -> None:
        self.model = ScriptedModel(answers, context_size=context_size)
        self.options = CompactionOptions(prompt="Sum up.", reserved_tokens=2000, after=self._after, **options)
        self.transcript = Transcript()
        self.emitted: list[Update] = []
        self.heard: list[list[Message]] = []
        self.said = asyncio.Event()

    def _after(self, history: Sequence[Message]) -> None:
        self.heard.append(list(history))

    def emit(self, update: Update) -> None:
        self.emitted.append(update)
        self.transcript.apply(update)
        if isinstance(update, AgentMessageChanged) and update.message.summary:
            self.said.set()

    async def turn(self, prompt: str = "Please go on.", *parts: Any) -> Turn:
        user = UserMessage(parts=(TextPart(text=prompt), *parts))
        self.emit(UserMessageAdded(message=user))
        tool: ReadyTool = await define_tool("look", Definition("Looks.", Look, _look)).init(AgentView("build"))
        return Turn(
            user=user,
            session_id="ses_1",
            agent=AGENT,
            model=self.model,
            system=("You are under test.",),
            tools={"look": tool},
            transcript=self.transcript,
            emit=self.emit,
            new_context=partial(bare_context, _allow),
            compaction=self.options,
        )

    async def run(self, prompt: str = "Please go on.", *parts: Any) -> str:
        return await run_turn(await self.turn(prompt, *parts))

    @property
    def compactions(self) -> list[Compaction]:
        return [update for update in self.emitted if isinstance(update, Compaction)]

    def asked(self, number: int) -> str:
        """All the text of a request."""
        return "\n".join(texts_of(self.model.requests[number].messages))


async def _allow(*_: Any, **__: Any) -> None:
    """Loops and all."""


def texts_of(messages: Sequence[Message]) -> list[str]:
    found: list[str] = []
    for message in messages:
        for part in message.parts:
            if isinstance(part, TextPart):
                found.append(part.text)
            elif isinstance(part, ToolPart) and isinstance(part.state, ToolCompleted):
                found.append(part.state.output)
    return found


def assert_valid(history: Sequence[Message]) -> None:
    """What every provider asks of a conversation."""
    chat = chat_messages((), history, model="scripted")
    assert not chat or chat[0]["role"] == "user"
    open_calls: list[str] = []
    seen: set[str] = set()
    for message in chat:
        if message["role"] == "tool":
            assert message["tool_call_id"] == open_calls.pop(0)
            continue
        assert open_calls == []
        calls = [call["id"] for call in message.get("tool_calls", ())]
        assert seen.isdisjoint(calls)
        seen.update(calls)
        open_calls += calls
    assert open_calls == []
