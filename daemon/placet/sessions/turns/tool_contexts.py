"""The contexts of a turn's tool calls: the caller, the rules of the call, and the place of its changes."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from placet.agent.agents.agent import Agent
from placet.agent.turn.opening_call import OpeningCall
from placet.changes.journal.on_behalf_of import Place
from placet.changes.ledger import Ledger
from placet.core.errors import Rejected, RequestError, ToolError
from placet.core.events import CurrentModeUpdate, Plan, PlanEntry
from placet.core.messages import JsonObject
from placet.core.ports import Question
from placet.model.base import Model
from placet.permissions.ask import Condition
from placet.permissions.gate import Ask, Caller
from placet.permissions.rules import Rule, builtin_rules, evaluate, refuses, root_names
from placet.sessions.services.plugins import shell_variables
from placet.sessions.services.services import Services
from placet.sessions.turns.delegation import Delegation
from placet.sessions.turns.model_choice import with_agent
from placet.sessions.turns.outputs import outputs_of
from placet.sessions.turns.recorder import Recorder
from placet.sessions.turns.ruleset import ruleset
from placet.settings import Action
from placet.tools.framework.define import AgentView, NoteProgress, SubagentResult, ToolContext
from placet.tools.shell.permission import only_reads


class Delegate(Protocol):
    async def __call__(
        self,
        limits: tuple[Rule, ...],
        made_for: tuple[Place, ...],
        *,
        agent: str,
        description: str,
        prompt: str,
        task_id: str | None,
        background: bool,
        began: Callable[[str], None],
    ) -> SubagentResult:
        """Run a subagent like define.RunSubagent;

        `limits` also bind the subagent, whose changes are made for `made_for`.
        """
        ...


class ToolContextFactory:
    """Factory of the ToolContexts of one turn."""

    def __init__(
        self,
        services: Services,
        recorder: Recorder,
        ledger: Ledger,
        agent: Agent,
        *,
        turn_id: str,
        abort: asyncio.Event,
        standing: Delegation,
        delegate: Delegate,
        made_for: tuple[Place, ...] = (),
        model: str | None = None,
    ) -> None:
        """Create the contexts; `model` answers instead of the session's, until a call switches the agent."""
        self._house = services
        self._recorder = recorder
        self._model = model
        self.task: JsonObject | None = None
        """The arguments of a call of `task` with which the turn begins."""
        self._ledger = ledger
        self.agent = agent
        """The agent of the turn; a call may switch the agent."""
        self.equipped = -1
        """The revision of the servers' tools that the turn has."""
        self._turn_id = turn_id
        self._abort = abort
        self._standing = standing
        self._delegate = delegate
        self._made_for = made_for
        self.outputs = outputs_of(recorder.info, standing.family, services.locations)
        self._rules = self._rules_of(agent)
        self._workspace = services.workspace
        """The workspace as it was when the turn began."""
        self._roots = root_names(self._workspace.roots)

    def is_denied(self, permission: str) -> bool:
        """Return whether the rules reject the permission whatever the pattern, so that the model need not see its
        tools."""
        return not self.agent.has(permission) or refuses(self._rules, permission)

    @property
    def model(self) -> str:
        """Return the name of this turn's model."""
        return self._model or self._recorder.info.model

    def opened_by_task(self, model: Model) -> Model:
        """Return the model, preceded by the call of `task` with which the turn begins, if any."""
        return model if self.task is None else OpeningCall(model, self._turn_id, "task", self.task)

    @property
    def session_id(self) -> str:
        return self._recorder.info.id

    def view(self) -> AgentView:
        """Return the facts about the agent for tools."""
        services = self._house
        return AgentView(
            self.agent.name,
            may_delegate=not self.is_denied("task"),
            model=self.model,
            settings=services.settings,
            judge=self._judge,
            skill_directories=services.current.setup.directories("skill"),
            vouches=services.current.setup.vouches,
            plan_file=self._plan_file,
            subagents=tuple(
                (agent.name, agent.description)
                for agent in services.agents.subagents.values()
                if self._judge("task", agent.name) != "deny"
            ),
        )

    @property
    def _plan_file(self) -> Path:
        return self._house.locations.plans / f"{self._recorder.info.id}.md"

    def _rules_of(self, agent: Agent) -> tuple[Rule, ...]:
        return ruleset(
            agent,
            builtin_rules(*self.outputs.readable),
            self._house.settings,
            self._house.locations,
            limits=self._standing.limits,
            plan_file=self._plan_file,
        )

    def judge(self, permission: str, pattern: str) -> Action:
        """Return the action of the rules for the permission and pattern, without asking anyone."""
        return self._judge(permission, pattern)

    def _judge(self, permission: str, pattern: str) -> Action:
        return evaluate(self._rules, permission, pattern, self._roots).action

    def _switch_agent(self, agent: str) -> None:
        """Switch the agent, as define.SwitchAgent says."""
        try:
            self.agent = self._house.agents.find(agent)
        except RequestError as error:
            raise ToolError(f"{error} Go on without it.") from error
        self._rules, self._model = self._rules_of(self.agent), None
        info = with_agent(self._recorder.info, self.agent)
        self._recorder.save_info(info)
        self._recorder.emit(CurrentModeUpdate(agent=agent, model=info.model))

    def new_context(self, *, message_id: str, call_id: str, tool: str, progress: NoteProgress) -> ToolContext:
        services = self._house
        caller = Caller(
            session_id=self._recorder.info.id,
            message_id=message_id,
            call_id=call_id,
            tool=tool,
            origin=self._standing.origin,
            rules=self._rules,
            roots=self._roots,
        )

        async def ask(
            permission: str,
            patterns: Sequence[str],
            *,
            always: Sequence[str],
            title: str,
            command: str | None = None,
            directory: Path | None = None,
            url: str | None = None,
            description: str = "",
            note: str = "",
            arguments: str = "",
            conditions: Sequence[Condition] = (),
        ) -> None:
            wanted = Ask(
                permission,
                tuple(patterns),
                tuple(always),
                title,
                command=command,
                directory=directory,
                url=url,
                description=description,
                note=note,
                arguments=arguments,
                conditions=tuple(conditions),
            )
            await services.gate.check(wanted, caller)

        async def question(questions: Sequence[Question]) -> list[list[str]]:
            answers = await services.ports.approver.ask(caller.session_id, questions)
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
            workspace=self._workspace,
            documents=services.ports.documents,
            features=services.ports.features,
            changes=services.pipeline.bind(
                caller, self._ledger, self._turn_id, self._recorder.emit, self._workspace, made_for=self._made_for
            ),
            metadata=progress,
            ask=ask,
            judge=services.gate.judge_for(caller),
            output_directory=self.outputs.directory,
            only_reads=only_reads(self._rules),
            question=question,
            plan=plan,
            switch_agent=self._switch_agent,
            run_subagent=partial(
                self._delegate,
                self.agent.bounds + self._standing.limits,
                (*self._made_for, Place(caller.session_id, self._turn_id, message_id)),
            ),
            jobs=services.jobs,
            shell_variables=partial(shell_variables, services.extensions.hooks, caller),
        )
