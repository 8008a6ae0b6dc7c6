"""The contexts of a turn's tool calls: who asks, what they may touch, and where their changes go."""

import asyncio
from collections.abc import Sequence

from placet.agent.agents import Agent
from placet.changes.ledger import Ledger
from placet.permissions.gate import Ask, Caller
from placet.permissions.rules import evaluate, from_config
from placet.sessions.house import House
from placet.sessions.recorder import Recorder
from placet.tools.define import NoteProgress, ToolContext


class CallContexts:
    """Makes ToolContexts for one turn."""

    def __init__(
        self,
        house: House,
        recorder: Recorder,
        ledger: Ledger,
        agent: Agent,
        *,
        turn_id: str,
        abort: asyncio.Event,
    ) -> None:
        self._house = house
        self._recorder = recorder
        self._ledger = ledger
        self._agent = agent
        self._turn_id = turn_id
        self._abort = abort
        self._rules = house.rules + agent.rules + from_config(house.settings.permission, "your settings")

    def is_denied(self, permission: str) -> bool:
        """Whether the rules refuse the permission whatever the pattern, so that the model need not see its tools."""
        rule = evaluate(self._rules, permission, "*")
        return rule.action == "deny" and rule.pattern == "*"

    def new_context(self, *, message_id: str, call_id: str, tool: str, progress: NoteProgress) -> ToolContext:
        house = self._house
        caller = Caller(
            session_id=self._recorder.info.id,
            message_id=message_id,
            call_id=call_id,
            tool=tool,
            origin=(),
            rules=self._rules,
        )

        async def ask(
            permission: str,
            patterns: Sequence[str],
            *,
            always: Sequence[str],
            title: str,
            command: str | None = None,
            url: str | None = None,
        ) -> None:
            await house.gate.check(
                Ask(permission, tuple(patterns), tuple(always), title, command=command, url=url), caller
            )

        return ToolContext(
            session_id=caller.session_id,
            message_id=message_id,
            call_id=call_id,
            agent=self._agent.name,
            abort=self._abort,
            messages=self._recorder.transcript.messages,
            workspace=house.workspace,
            documents=house.ports.documents,
            features=house.ports.features,
            changes=house.pipeline.bind(caller, self._ledger, self._turn_id, self._recorder.emit, house.workspace),
            metadata=progress,
            ask=ask,
            judge=lambda permission, pattern: house.gate.judge(permission, pattern, caller),
            output_directory=house.locations.tool_output,
        )
