"""Settings, models and rules of a workspace for the inline completion: placet.completion.engine.CompletionAccess."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from placet.completion.chat_fill import ChatFill
from placet.completion.formats import format_of
from placet.core.errors import PlacetError
from placet.core.executor import in_thread
from placet.model.client.fill import HostedFill, interface_of
from placet.model.client.providers import provider_of, wire_name
from placet.model.fill import FillModel
from placet.model.hosted import OWN_SERVERS, is_hosted
from placet.model.select import open_model
from placet.permissions.protection import holds_keys_or_decisions
from placet.permissions.rules import Rule, evaluate, root_names
from placet.project.paths import Workspace
from placet.project.unwritten_names import listed_of
from placet.sessions.services.services import Services
from placet.settings.completion import CompletionSettings

_LISTED_SECONDS = 30.0
"""Time for which an answer of the ignore files counts: a look starts a program, and comes at each suggestion."""
_MOST_LISTED = 500


class WorkspaceCompletion:
    """Access of one editor's completion to the workspace; lives as long as the editor's connection."""

    def __init__(
        self, services: Services, rules: Callable[[], Sequence[Rule]], is_edited: Callable[[Path], bool]
    ) -> None:
        """`rules` returns the rules of the default agent, and raises PlacetError; `is_edited` returns whether a running
        turn changes the file.
        """
        self._services = services
        self._rules = rules
        self._is_edited = is_edited
        self._listed: dict[Path, tuple[float, bool]] = {}

    @property
    def settings(self) -> CompletionSettings:
        return self._services.settings.completion

    def fill_model(self, name: str) -> FillModel:
        """Return the model. Raises SettingsError."""
        settings, host = self._services.settings, self._services.host
        if is_hosted(name) and "://" not in name:
            interface = interface_of(name, settings, has_format=format_of(name) is not None)
            if interface != "chat":
                return HostedFill(host, name, settings, interface)
        return ChatFill(open_model(name, settings, host))

    def is_local(self, name: str) -> bool:
        settings = self._services.settings
        return wire_name(name, provider_of(name, settings)).partition("/")[0] in OWN_SERVERS

    def name_of(self, path: Path) -> str:
        return self._services.workspace.relative(path)

    async def refusal(self, path: Path) -> str:
        """Return the reason for which no text of the file may be sent: the judge of the tools decides, as the rules of
        the default agent let a tool read the file without a question, and the ignore files list the file.
        """
        workspace = self._services.workspace
        try:
            rules = self._rules()
        except PlacetError as error:
            return str(error)
        if reason := await in_thread(_refused_by_rules, workspace, path, rules):
            return reason
        return "" if await self._is_listed(path, workspace) else "the project's ignore files leave the file out"

    def is_edited_by_agent(self, path: Path) -> bool:
        return self._is_edited(path)

    async def _is_listed(self, path: Path, workspace: Workspace) -> bool:
        now = time.monotonic()
        known = self._listed.get(path)
        if known is not None and now - known[0] < _LISTED_SECONDS:
            return known[1]
        root = workspace.root_of(path)
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else ""
        is_listed = bool(name) and bool(await listed_of([name], (), root))
        while len(self._listed) >= _MOST_LISTED:
            del self._listed[next(iter(self._listed))]
        self._listed[path] = (now, is_listed)
        return is_listed


def _refused_by_rules(workspace: Workspace, path: Path, rules: Sequence[Rule]) -> str:
    """Return the reason of the rules. Looks at the disk."""
    if not workspace.contains(path):
        return "the file lies outside of the project"
    names = dict.fromkeys((workspace.relative(path), workspace.relative_behind_links(path)))
    if any(map(holds_keys_or_decisions, (*names, path.as_posix()))):
        return "the file holds keys or decisions of Placet"
    roots = root_names(workspace.roots)
    for name in names:
        if (rule := evaluate(rules, "read", name, roots)).action != "allow":
            return f"a rule does not allow the file to be read without a question: {rule}"
    return ""
