"""Config of the user and the trusted projects: read at the start, and again when a config file changes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from placet.agent.agents.agent import AgentCatalog
from placet.agent.agents.definitions import read_catalog
from placet.core.errors import SettingsError
from placet.permissions.rules import Rule
from placet.permissions.trust import ProjectTrust, Trust
from placet.project.hook_files import DIRECTORY, FILE_NAMES
from placet.project.inventory import COURTESY, SHARED_DIRECTORY, Kind, directories_of, inventory
from placet.project.prefixed_directory import Directory
from placet.project.processes.process_secrets import whole_environment
from placet.sessions.services.command_hooks import command_hooks, user_files
from placet.settings import Locations, Settings, load_settings
from placet.settings.foreign_denials import read_denials
from placet.settings.sources import ProjectFile, Source, workspace_source

if TYPE_CHECKING:
    from placet.agent.commands.catalog import CommandCatalog
    from placet.extensions.bundles.loading import LoadedBundle
    from placet.extensions.command_hooks.table import CommandHook


@dataclass(frozen=True, slots=True)
class Config:
    """Everything the user and the trusted projects have set up, as of one moment."""

    settings: Settings
    locations: Locations
    projects: tuple[ProjectTrust, ...] = ()
    """Projects of the opened folders; the items of a project count only while the project is trusted."""
    trouble: tuple[str, ...] = ()
    """Problems with the items of the projects, in words for the user."""
    hooks: "tuple[CommandHook, ...]" = ()
    """Command hooks of the user, of bundles and of trusted projects."""
    bundles: "tuple[LoadedBundle, ...]" = ()
    """Bundles in use."""

    _directories: dict[Kind, tuple[Directory, ...]] = field(
        default_factory=dict["Kind", "tuple[Directory, ...]"], init=False, repr=False, compare=False
    )

    @property
    def may_start_programs(self) -> bool:
        """Return whether programs may start that look for their helpers in the projects."""
        return all(project.standing in ("nothing", "trusted") for project in self.projects)

    @property
    def problems(self) -> tuple[str, ...]:
        """Return the problems of the config, in words for the user."""
        return (*self.trouble, *self.settings.problems)

    def directories(self, kind: Kind) -> tuple[Directory, ...]:
        """Return the directories of this kind: of bundles, the user, and trusted projects; the strongest last."""
        if kind not in self._directories:  # Every turn asks.
            trusted = [project.inventory for project in reversed(self.projects) if project.trusted]
            brought = [directory for contents in trusted for directory in directories_of(contents.levels, kind)]
            bundled: list[Directory] = []
            if kind in ("command", "agent", "skill"):
                bundled += (directory for bundle in self.bundles for directory in bundle.directories(kind))
            directories = (*bundled, *courtesy_directories(kind), *self.locations.own(kind), *brought)
            self._directories[kind] = tuple(dict.fromkeys(directories))
        return self._directories[kind]

    def vouches(self, file: Path, content: bytes) -> bool:
        """Return whether the file with this content is the user's own, or is trusted by the user within a project or a
        bundle.
        """
        if (bundle := next((bundle for bundle in self.bundles if file.is_relative_to(bundle.root)), None)) is not None:
            return bundle.vouches(file, content)
        brought = [project for project in self.projects if project.inventory.holds(file)]
        return not brought or any(project.vouches(file, content) for project in brought)

    def commands(self) -> "CommandCatalog":
        """Return the slash commands, the commands of skills included. Blocks."""
        from placet.agent.commands.catalog import CommandCatalog, read_commands  # Rules are looked at without.
        from placet.project.skills import find_skills

        problems: list[str] = []
        skills = find_skills(self.directories("skill"), vouches=self.vouches, problems=problems)
        catalog = read_commands(self.settings, self.directories("command"), skills, self.vouches)
        return CommandCatalog(catalog.all, problems=(*catalog.problems, *problems))

    def catalog(self, rules: Sequence[Rule]) -> AgentCatalog:
        """Return the agents. Blocks."""
        return read_catalog(self.settings, self.directories("agent"), rules, vouches=self.vouches)


class EditorTrust(Struct):
    """The editor's trust in its folders. Without this trust Placet trusts no folder, whatever the user decided."""

    trusted: bool = True


@dataclass(frozen=True, slots=True)
class ConfigLoader:
    """Loader of the config for one front end."""

    locations: Locations
    roots: Sequence[Path]
    editor: Mapping[str, Any] | None = None
    """Settings of the user in the editor."""
    workspace: Mapping[str, Any] | None = None
    """Settings of the editor's workspace: the project of the first folder answers for these settings."""
    command_line: Mapping[str, Any] | None = None
    environment: Callable[[], Mapping[str, str]] = field(default=whole_environment)
    plugins: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list[tuple[str, Mapping[str, Any]]])
    """Settings wanted by plugins, by the plugins' names; the list changes while plugins come and go."""
    plugin_models: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list[tuple[str, Mapping[str, Any]]])
    """Models of providers from the user's plugins, as settings, by the plugins' names; changes as `plugins` does."""
    editor_trust: EditorTrust = field(default_factory=EditorTrust)
    """Trust of the editor; changes with the editor's messages."""
    is_for_once: bool = False
    """Set for a front door that soon ends: files are not watched, and nobody is asked about projects."""

    def read(self) -> Config:
        """Read the config. Raises SettingsError for a fault on the command line. Blocks."""
        problems: list[str] = []
        projects = self._projects(problems)
        environment = self.environment()
        bundles = self._bundles(problems)
        folder = self.roots[0] if self.roots else Path()
        settings = load_settings(
            self.locations,
            environment=environment,
            bundles=[bundle.servers(environment, folder, problems) for bundle in bundles],
            project=[file for project in reversed(projects) for file in _settings_files(project)],
            plugins=self.plugins,
            plugin_models=self.plugin_models,
            editor=self.editor,
            workspace=self._workspace(projects),
            command_line=self.command_line,
            denials=list(_denials(projects, problems)),
        )
        hooks = command_hooks(settings, projects, bundles, problems)
        return Config(settings, self.locations, projects, tuple(problems), hooks, bundles)

    def _workspace(self, projects: Sequence[ProjectTrust]) -> Source | None:
        """Return the settings of the editor's workspace, trusted if the user trusts a project with these settings."""
        if not self.workspace:
            return None
        trusted = (item for project in projects[:1] if project.trusted for item in project.inventory.items)
        return workspace_source(self.workspace, trusted=any(item.kind == "workspace" for item in trusted))

    def _bundles(self, problems: list[str]) -> "tuple[LoadedBundle, ...]":
        if not self.locations.bundle_register.exists():
            return ()
        from placet.extensions.bundles.loading import load_bundles  # Most users have no bundles.

        return load_bundles(self.locations, problems)

    def _projects(self, problems: list[str]) -> tuple[ProjectTrust, ...]:
        """Return the project of each root; the first opened folder outweighs the rest.

        A project that holds several of the roots is looked at for each.
        """
        trust = Trust(self.locations.trust)
        projects: list[ProjectTrust] = []
        for root in self.roots:
            contents = inventory(root, None if projects else self.workspace)
            problems += (f"{contents.folder}: {problem}" for problem in contents.problems)
            try:
                projects.append(trust.judge(contents))
            except SettingsError as error:
                problems.append(str(error))
                projects.append(ProjectTrust(contents, "refused"))
        return tuple(projects) if self.editor_trust.trusted else tuple(project.withheld() for project in projects)


def courtesy_directories(kind: Kind) -> tuple[Path, ...]:
    """Return the user's directories of such items for other agents; Placet reads these directories as its own."""
    if kind not in COURTESY:
        return ()
    try:
        home = Path.home()
    except RuntimeError:  # The user may have no home directory.
        return ()
    shared = (home / SHARED_DIRECTORY / "skills",) if kind == "skill" else ()
    others = (home / name / kind_name for name in (".claude", ".config/opencode") for kind_name in (kind, f"{kind}s"))
    return (*shared, *others)


def _denials(projects: Sequence[ProjectTrust], problems: list[str]) -> Iterator[Source]:
    """Yield the denials in settings files of Claude Code: the user's, then the projects'. Looks at the disk."""
    files = [(file, file.parent.parent) for file in user_files()]
    levels = dict.fromkeys(level for project in projects for level in project.inventory.levels)
    files += [(level / DIRECTORY / name, level) for level in levels for name in FILE_NAMES]
    for file, directory in files:
        if (source := read_denials(file, directory, problems)) is not None:
            yield source


def _settings_files(project: ProjectTrust) -> list[ProjectFile]:
    return [
        ProjectFile(item.path, item.digest if project.trusted else None)
        for item in project.inventory.items
        if item.kind == "settings"
    ]
