"""The contexts of a turn's tool calls: who asks, what they may touch, and where their changes go."""

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from placet.agent.agents import Agent, find_agent, subagents
from placet.changes.ledger import Ledger
from placet.errors import Rejected
from placet.events import CurrentModeUpdate, Plan, PlanEntry
from placet.permissions.gate import Ask, Caller
from placet.permissions.rules import BUILT_IN, Rule, evaluate, from_config, refuses
from placet.ports import Question
from placet.project.paths import real
from placet.sessions.house import House
from placet.sessions.recorder import Recorder
from placet.sessions.standing import Standing
from placet.settings import Action
from placet.tools.define import AgentView, NoteProgress, SubagentResult, ToolContext


class Delegate(Protocol):
    async def __call__(
        self,
        limits: tuple[Rule, ...],
        *,
        agent: str,
        description: str,
        prompt: str,
        task_id: str | None,
        background: bool,
    ) -> SubagentResult:
        """As define.RunSubagent; `limits` bind the subagent as well."""
        ...


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
        standing: Standing,
        delegate: Delegate,
    ) -> None:
        self._house = house
        self._recorder = recorder
        self._ledger = ledger
        self.agent = agent
        """Whose turn it is; a call may switch it."""
        self._turn_id = turn_id
        self._abort = abort
        self._standing = standing
        self._delegate = delegate
        self._rules = self._rules_of(agent)

    def is_denied(self, permission: str) -> bool:
        """Whether the rules refuse the permission whatever the pattern, so that the model need not see its tools."""
        lacks = self.agent.tools is not None and permission not in self.agent.tools
        return lacks or refuses(self._rules, permission)

    def view(self) -> AgentView:
        """What tools may know of the agent."""
        house = self._house
        return AgentView(
            self.agent.name,
            may_delegate=not self.is_denied("task"),
            model=self._recorder.info.model,
            settings=house.settings,
            judge=self._judge,
            skill_directories=house.locations.skills,
            plan_file=self._plan_file,
            subagents=tuple((agent.name, agent.description) for agent in subagents().values()),
        )

    @property
    def _plan_file(self) -> Path:
        return self._house.locations.plans / f"{self._recorder.info.id}.md"

    def _rules_of(self, agent: Agent) -> tuple[Rule, ...]:
        """The built-in ones, the agent's, the user's, and over them the agent's limits."""
        house = self._house
        skills = tuple(_within(directory, BUILT_IN) for directory in house.locations.skills)
        yours = from_config(house.settings.permission, "your settings")
        rules = house.rules + skills + agent.rules + yours + agent.limits + self._standing.limits
        if agent.plans:
            file, source = self._plan_file, f"the agent {agent.name}"
            names = dict.fromkeys((file.as_posix(), real(file).as_posix()))
            rules += (*(Rule("edit", name, "allow", source) for name in names), _within(file.parent, source))
        return rules

    def _judge(self, permission: str, pattern: str) -> Action:
        return evaluate(self._rules, permission, pattern).action

    def _switch_agent(self, agent: str) -> None:
        """From the next step on the turn, and the session, are that agent's."""
        self.agent = find_agent(agent)
        self._rules = self._rules_of(self.agent)
        self._recorder.save_info(self._recorder.info.model_copy(update={"agent": agent}))
        self._recorder.emit(CurrentModeUpdate(agent=agent))

    def new_context(self, *, message_id: str, call_id: str, tool: str, progress: NoteProgress) -> ToolContext:
        house = self._house
        caller = Caller(
            session_id=self._recorder.info.id,
            message_id=message_id,
            call_id=call_id,
            tool=tool,
            origin=self._standing.origin,
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

        async def question(questions: Sequence[Question]) -> list[list[str]]:
            answers = await house.ports.approver.ask(caller.session_id, questions)
            if answers is None:
                raise Rejected
            return answers

        def plan(entries: Sequence[PlanEntry]) -> None:
            self._recorder.emit(Plan(entries=tuple(entries)))

        return ToolContext(
            session_id=caller.session_id,
            message_id=message_id,
            call_id=call_id,
            agent=self.agent.name,
            abort=self._abort,
            messages=self._recorder.transcript.messages,
            workspace=house.workspace,
            documents=house.ports.documents,
            features=house.ports.features,
            changes=house.pipeline.bind(caller, self._ledger, self._turn_id, self._recorder.emit, house.workspace),
            metadata=progress,
            ask=ask,
            judge=house.gate.judge_for(caller),
            output_directory=house.locations.tool_output,
            question=question,
            plan=plan,
            switch_agent=self._switch_agent,
            run_subagent=partial(self._delegate, self.agent.limits + self._standing.limits),
            jobs=house.jobs,
        )


def _within(directory: Path, source: str) -> Rule:
    """Placet's own directory, outside the workspace, may be entered without asking."""
    return Rule("external_directory", f"{real(directory).as_posix()}/*", "allow", source)
