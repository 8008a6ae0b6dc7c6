"""Rules and grants as the user looks at them: lists, explanations of a call, and removal of a grant."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from placet.agent.agents.agent import Agent
from placet.core.errors import RequestError
from placet.core.executor import in_thread
from placet.permissions.caution import Caution
from placet.permissions.explain import Explanation, explain
from placet.permissions.grants import Grant, Grants
from placet.permissions.rules import Rule, builtin_rules, evaluate, only_reads, permission_named, refuses, root_names
from placet.project.paths import Workspace, user_home
from placet.sandbox.containment import CommandSandbox, Host, containment_of
from placet.sessions.asks.explain_asks import questions_of
from placet.sessions.turns.ruleset import ruleset
from placet.settings import Locations, Settings


@dataclass(frozen=True, slots=True)
class Bound:
    """The agent that rules bind, in a session or without a session yet."""

    agent: Agent
    session_id: str = ""
    limits: tuple[Rule, ...] = ()
    """Limits of the agents for which the session works."""
    outputs: tuple[Path, ...] = ()
    """Directories of whole outputs that the session's model may look into."""
    caution: Caution = "default"


@dataclass(frozen=True, slots=True)
class Permissions:
    """Rules and grants of a workspace, as of the moment of the request."""

    workspace: Workspace
    settings: Settings
    locations: Locations
    built_in: tuple[Rule, ...]
    grants: Grants

    def rules(self, bound: Bound) -> tuple[Rule, ...]:
        """Return the rules in force, the weakest first. Raises SettingsError."""
        plan_file = self.locations.plans / f"{bound.session_id or 'SESSION'}.md"
        settings, locations = self.settings, self.locations
        built_in = builtin_rules(*bound.outputs) if bound.outputs else self.built_in
        return ruleset(
            bound.agent,
            built_in,
            settings,
            locations,
            limits=bound.limits,
            plan_file=plan_file,
            caution=bound.caution,
        )

    def granted(self, session_id: str = "") -> tuple[Grant, ...]:
        """Return the grants that hold in a session, the oldest first; all grants without a session id."""
        self.grants.refresh()
        return tuple(reversed(list(self.grants.holding(session_id)))) if session_id else self.grants.all()

    async def explain(self, permission: str, subject: str, bound: Bound) -> Explanation:
        """Return the explanation of a call's outcome. Raises SettingsError, and ToolError for an impossible path."""
        self.grants.refresh()
        return await in_thread(self._explain, permission, subject, self.rules(bound), bound.session_id)

    def _explain(self, permission: str, subject: str, rules: tuple[Rule, ...], session_id: str) -> Explanation:
        """Return the explanation; a command line is explained for the sandbox on and off."""
        roots = root_names(self.workspace.roots)
        find_grant = partial(self.grants.find, session_id=session_id)

        def explained(sandbox: CommandSandbox | None, contained: Explanation | None = None) -> Explanation:
            questions = questions_of(
                permission,
                subject,
                self.workspace,
                lambda name, pattern: evaluate(rules, name, pattern, roots).action,
                only_reads=only_reads(rules),
                sandbox=sandbox,
            )
            return explain(
                questions.asks,
                rules,
                roots,
                find_grant,
                questions.unasked,
                refusal=questions.refusal,
                contained=contained,
            )

        if permission_named(permission) != "bash" or self.settings.sandbox.mode == "off":
            return explained(None)
        return explained(None, explained(self._sandbox(only_reads=only_reads(rules))))

    def _sandbox(self, *, only_reads: bool) -> CommandSandbox:
        host = Host(user_home(), self.locations)
        settings = self.settings.sandbox
        containment, _ = containment_of(settings, self.workspace.roots, host, only_reads=only_reads)
        return CommandSandbox(settings, containment)

    def not_offered(self, permission: str, bound: Bound) -> str:
        """Return the reason why the model is not offered the permission's tools, or an empty text.

        Raises SettingsError.
        """
        name = permission_named(permission)
        if not bound.agent.has(name):
            return f"The agent {bound.agent.name} has no tools for `{name}`."
        return f"The model is not offered the tools for `{name}`." if refuses(self.rules(bound), name) else ""

    async def revoke(self, grant_id: str) -> None:
        """Take a grant back.

        Raises RequestError for an unknown grant, SettingsError if the file of grants is broken.
        """
        if not await self.grants.revoke(grant_id):
            raise RequestError(f"There is no grant `{grant_id}`. `placet permissions list` lists the grants.")
