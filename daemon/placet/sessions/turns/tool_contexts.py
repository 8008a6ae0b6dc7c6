"""The contexts of a turn's tool calls: the caller, the rules of the call, and the place of its changes."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from placet.agent.agents.agent import Agent
from placet.changes.call import ChangingCall
from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.ledger import Ledger
from placet.core.effort import Effort
from placet.core.errors import Rejected, RequestError, ToolError
from placet.core.events import Plan, PlanEntry
from placet.core.executor import in_thread
from placet.core.ports import Approver, Question
from placet.core.user_wait import waiting_for_user
from placet.extensions.mcp.session_servers import SessionServers
from placet.permissions.caution import Caution
from placet.permissions.gate import Ask, Caller, Gate
from placet.permissions.rules import Rule, builtin_rules, evaluate, only_reads, refuses, root_names
from placet.project.instructions import memory_of_user
from placet.project.paths import Workspace, real
from placet.sessions.services.plugins import shell_variables
from placet.sessions.services.services import Services
from placet.sessions.turns.agent_sandbox import AgentSandbox
from placet.sessions.turns.choices import SessionChoices
from placet.sessions.turns.delegation import Delegation
from placet.sessions.turns.outputs import outputs_of
from placet.sessions.turns.recorder import Recorder
from placet.sessions.turns.ruleset import ruleset
from placet.settings import Action, Settings
from placet.settings.review_modes import ReviewMode
from placet.tools.framework.context import CommandServices, NoteProgress, SubagentRequest, SubagentResult, ToolContext
from placet.tools.framework.define import AgentView

if TYPE_CHECKING:
    from placet.sessions.change_set import SessionChangeSet


class RunDelegated(Protocol):
    async def __call__(
        self, request: SubagentRequest, *, limits: tuple[Rule, ...], on_behalf_of: tuple[TurnRef, ...]
    ) -> SubagentResult:
        """Run a subagent as define.SessionAccess says.

        The rules `limits` also bind the subagent. The changes of the subagent also count as changes of the turns in
        `on_behalf_of`, the last of which is the calling turn.
        """
        ...


class SessionParts(Struct, frozen=True):
    """Parts of the session whose turn calls tools."""

    recorder: Recorder
    ledger: Ledger
    delegation: Delegation
    choices: SessionChoices
    servers: SessionServers
    run_subagent: RunDelegated
    change_set: Callable[[], "SessionChangeSet"]


class StartedTurn(Struct, frozen=True):
    """Facts about a turn that hold until its end."""

    id: str
    abort: asyncio.Event
    on_behalf_of: tuple[TurnRef, ...] = ()
    model: str | None = None
    """Model in the place of the session's, until a call switches the agent."""
    effort: Effort | None = None
    """Effort in the place of the session's, until a call switches the agent."""


class ToolContextFactory:
    """Factory of the ToolContexts of one turn."""

    def __init__(self, services: Services, session: SessionParts, turn: StartedTurn, agent: Agent) -> None:
        self._services = services
        self._session = session
        self._turn = turn
        self._recorder = session.recorder
        self._delegation = session.delegation
        self._choices = session.choices
        self._model = turn.model
        self._effort: Effort | None = turn.effort
        self.agent = agent
        """The agent of the turn; a call may switch the agent."""
        self.outputs = outputs_of(self._recorder.info, self._delegation.family, services.locations)
        self._temporary = services.locations.temporary_of(self.outputs.family)
        self._rules_by_caution = {self._choices.caution: self._rules_of(agent, self._choices.caution)}
        self._workspace = services.workspace.with_temporary(self._temporary)
        """The workspace as it was when the turn began."""
        isolation = self._delegation.isolation
        self._roots = root_names(self._workspace.roots) if isolation is None else isolation.names

    def is_denied(self, permission: str) -> bool:
        """Return whether the rules reject the permission whatever the pattern, so that the model need not see its
        tools."""
        return not self.agent.has(permission) or refuses(self._rules, permission)

    @property
    def model(self) -> str:
        """Return the name of this turn's model."""
        return self._model or self._recorder.info.model

    @property
    def effort(self) -> Effort | None:
        """Return the effort of the next step: the command's, else the session's, the agent's or the settings'."""
        of_settings = self._services.settings.options_of(self.model).effort
        chosen: tuple[Effort | None, ...] = (self._effort, self._recorder.info.effort, self.agent.effort, of_settings)
        return next((effort for effort in chosen if effort is not None), None)

    @property
    def workspace(self) -> Workspace:
        """Return the workspace as it was when the turn began."""
        return self._workspace

    @property
    def ledger(self) -> Ledger:
        return self._session.ledger

    @property
    def session_id(self) -> str:
        return self._recorder.info.id

    def view(self) -> AgentView:
        """Return the facts about the agent for tools."""
        services = self._services
        return AgentView(
            self.agent.name,
            may_delegate=not self.is_denied("task"),
            model=self.model,
            settings=services.settings,
            judge=self._judge,
            skill_directories=services.current.config.directories("skill"),
            vouches=services.current.config.vouches,
            plan_file=self._plan_file,
            memory_file=memory_of_user(services.locations.config),
            subagents=tuple(
                (agent.name, agent.description)
                for agent in services.agents.subagents.values()
                if self._judge("task", agent.name) != "deny"
            ),
        )

    @property
    def _plan_file(self) -> Path:
        return self._services.locations.plans / f"{self._recorder.info.id}.md"

    @property
    def _rules(self) -> tuple[Rule, ...]:
        """Return the rules of the agent as of now: the user may change the session's caution within the turn."""
        caution = self._choices.caution
        if caution not in self._rules_by_caution:
            self._rules_by_caution[caution] = self._rules_of(self.agent, caution)
        return self._rules_by_caution[caution]

    @property
    def _rules_of_memory(self) -> tuple[Rule, ...]:
        """Return the rules for `remember`, which touches two files: the user's own memory lies outside the project."""
        return self._rules_of(self.agent, self._choices.caution, self._services.locations.config)

    def _rules_of(self, agent: Agent, caution: Caution, *own_directories: Path) -> tuple[Rule, ...]:
        return ruleset(
            agent,
            builtin_rules(*self.outputs.readable, self._temporary, *map(real, own_directories))
            + (() if self._delegation.isolation is None else self._delegation.isolation.rules),
            self._services.settings,
            self._services.locations,
            limits=self._delegation.limits,
            plan_file=self._plan_file,
            servers=self._session.servers.from_settings(self._services.settings.mcp.servers),
            caution=caution,
        )

    def judge(self, permission: str, pattern: str) -> Action:
        """Return the action of the rules for the permission and pattern, without asking anyone."""
        return self._judge(permission, pattern)

    def _judge(self, permission: str, pattern: str) -> Action:
        return evaluate(self._rules, permission, pattern, self._roots).action

    def switch_agent(self, agent: str) -> None:
        """Switch the agent, as define.SessionAccess says."""
        try:
            self.agent = self._services.agents.find(agent)
        except RequestError as error:
            raise ToolError(f"{error} Go on without it.") from error
        caution = self._choices.caution
        self._rules_by_caution, self._model = {caution: self._rules_of(self.agent, caution)}, None
        self._effort = None
        self._choices.switch_agent(self.agent)

    def new_context(self, *, message_id: str, call_id: str, tool: str, progress: NoteProgress) -> ToolContext:
        """Return the context of one call, as agent.turn.turn.NewContext says."""
        services = self._services
        caller = self._caller(tool, message_id=message_id, call_id=call_id)
        call = ChangingCall(
            caller, self._turn.id, self._session.ledger, self._recorder.emit, self._workspace, self._turn.on_behalf_of
        )
        staging = services.pipeline.staging(
            self.outputs.family, services.ports.features, self._review, self._recorder.tell
        )
        return ToolContext(
            caller=caller,
            agent=self.agent.name,
            abort=self._turn.abort,
            messages=self._recorder.transcript.messages,
            workspace=self._workspace,
            documents=staging.documents,
            features=staging.languages,
            changes=services.pipeline.bind(call, staging),
            metadata=progress,
            ask=partial(_ask, services.gate, caller),
            judge=services.gate.judge_for(caller),
            output_directory=self.outputs.directory,
            only_reads=only_reads(self._rules),
            session=_SessionOfCall(self, self._session, services.ports.approver, call),
            commands=CommandServices(
                variables=partial(self._shell_variables, caller),
                jobs=services.jobs,
                session_sandbox=self._sandbox(caller),
                terminals=services.ports.terminals if _commands_leave(services.settings) else None,
            ),
        )

    @property
    def limits(self) -> tuple[Rule, ...]:
        """Return the rules that also bind a subagent of the agent."""
        return self.agent.bounds + self._delegation.limits

    def _caller(self, tool: str, *, message_id: str = "", call_id: str = "") -> Caller:
        return Caller(
            session_id=self._recorder.info.id,
            message_id=message_id,
            call_id=call_id,
            tool=tool,
            origin=self._delegation.origin,
            rules=self._rules_of_memory if tool == "remember" else self._rules,
            roots=self._roots,
        )

    async def _shell_variables(self, caller: Caller, directory: Path) -> dict[str, str]:
        """Return the variables of plugins for a command, over the ports of the worktree in which the session works."""
        from placet.sessions.worktrees.ports import variables_in  # Loaded with the first command.

        home = self._services.locations.worktrees
        own = await in_thread(variables_in, home, self._workspace.roots)
        return {**own, **await shell_variables(self._services.extensions.hooks, caller, directory)}

    def _review(self) -> ReviewMode:
        """Return how changes are reviewed; in a worktree of a subagent they are reviewed when they come back."""
        return self._choices.review if self._delegation.isolation is None else "ask"

    async def prepare_commands(self) -> None:
        """Prepare the sandbox for a first command of the agent, if the agent has commands."""
        if not self.is_denied("bash"):
            await self._sandbox(self._caller("bash")).prepare()

    def _sandbox(self, caller: Caller) -> AgentSandbox:
        return AgentSandbox(
            self._services, self.outputs.family, self._workspace, caller, outputs=self.outputs.directory
        )


class _SessionOfCall:
    """Access of one call to its session: define.SessionAccess."""

    def __init__(
        self, contexts: ToolContextFactory, session: SessionParts, approver: Approver, call: ChangingCall
    ) -> None:
        self._contexts = contexts
        self._session = session
        self._approver = approver
        self._call = call
        self._limits = contexts.limits
        """The limits of the agent that made the call."""

    async def ask_user(self, questions: Sequence[Question]) -> list[list[str]]:
        with waiting_for_user():
            answers = await self._approver.ask(self._call.caller.session_id, questions)
        if answers is None:
            raise Rejected
        return answers

    async def accept_staged(self) -> list[tuple[Path, str]]:
        try:
            return await self._session.change_set().accept_all()
        except RequestError as error:
            raise ToolError(str(error)) from error

    def show_plan(self, entries: Sequence[PlanEntry]) -> None:
        self._session.recorder.emit(Plan(entries=tuple(entries)))

    def switch_agent(self, agent: str) -> None:
        self._contexts.switch_agent(agent)

    async def run_subagent(self, request: SubagentRequest) -> SubagentResult:
        return await self._session.run_subagent(request, limits=self._limits, on_behalf_of=self._call.places)


def _commands_leave(settings: Settings) -> bool:
    """Return whether the user lets commands run in a terminal of the client, where no sandbox is."""
    return settings.acp.commands_in_terminal and settings.sandbox.mode != "require"


async def _ask(gate: Gate, caller: Caller, ask: Ask) -> bool:
    """Return when the gate lets the call go on, as define.AskPermission says."""
    return await gate.check(ask, caller) is not None
