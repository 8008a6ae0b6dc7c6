"""Locations of Placet's files."""

from pathlib import Path

import platformdirs
from msgspec import Struct

from placet.core.errors import SettingsError


class Locations(Struct, frozen=True):
    """Directories of Placet, created at the first writing."""

    config: Path
    data: Path
    cache: Path
    log: Path

    @property
    def store(self) -> Path:
        return self.data / "placet.db"

    @property
    def keys(self) -> Path:
        return self.config / "keys.json"

    @property
    def mcp_tokens(self) -> Path:
        """Path of the tokens for MCP servers."""
        return self.config / "mcp-auth.json"

    @property
    def grants(self) -> Path:
        """Path of the grants that the user gave with "always", for a project or everywhere."""
        return self.config / "grants.json"

    @property
    def trust(self) -> Path:
        """Path of the user's decisions about the trust in projects."""
        return self.config / "trust.json"

    @property
    def worktree_setups(self) -> Path:
        """Path of the commands to which the user has agreed for new worktrees."""
        return self.config / "worktree-setup.json"

    @property
    def bundle_register(self) -> Path:
        """Path of the list of bundles that the user has added."""
        return self.config / "bundles.json"

    @property
    def bundles(self) -> Path:
        """Copies of the bundles: a directory for each bundle, with a directory for each digest."""
        return self.data / "bundles"

    @property
    def bundle_data(self) -> Path:
        """Files that the programs of bundles keep, a directory for each bundle's: beside Placet's own data, which no
        contained program sees.
        """
        return self.data.with_name(f"{self.data.name}-bundles")

    @property
    def worktrees(self) -> Path:
        """Git worktrees of sessions, a directory for each repository's: beside Placet's own data, which no contained
        program sees.
        """
        return self.data.with_name(f"{self.data.name}-worktrees")

    @property
    def fleet(self) -> Path:
        """Clones and fetched repositories of fleets: beside Placet's own data, which no contained program sees."""
        return self.data.with_name(f"{self.data.name}-fleet")

    @property
    def notices(self) -> Path:
        """Path of the last notices about this machine that the user was shown."""
        return self.data / "notices.json"

    @property
    def model_marks(self) -> Path:
        """Path of the user's recent and favourite models."""
        return self.data / "models.json"

    @property
    def local_models(self) -> Path:
        """Directory of the files of the models that Placet itself runs."""
        return self.data / "models"

    @property
    def model_lists(self) -> Path:
        """Directory of the lists of models that providers sent, a file for each provider."""
        return self.cache / "models"

    @property
    def tool_output(self) -> Path:
        """Whole outputs of tools, of which a model is shown only a part: a directory for each session's."""
        return self.data / "tool-output"

    def outputs_of(self, session_id: str) -> Path:
        return self.tool_output / session_id

    def temporary_of(self, session_id: str) -> Path:
        """Return the directory that the session's commands see as /tmp inside the sandbox."""
        return self.cache / "sandbox" / "sessions" / session_id / "tmp"

    @property
    def kept(self) -> Path:
        """Directory of the files that commands have made and Placet has moved away, a directory for each session."""
        return self.data / "sandbox" / "kept"

    @property
    def layers(self) -> Path:
        """Layers of running commands, whose changes are proposed afterwards: a directory for each command's."""
        return self.data / "layers"

    @property
    def plans(self) -> Path:
        """Directory of plans, a Markdown file for each session."""
        return self.data / "plans"

    @property
    def open_directories(self) -> Path:
        """Path of the list of directories that sandboxes have ever opened to commands."""
        return self.data / "open-directories"

    @property
    def of_commands(self) -> tuple[Path, ...]:
        """Return Placet's own directories in which commands of the agent, or of workers, write."""
        return (self.cache / "sandbox", self.layers, self.worktrees, self.fleet, self.bundle_data)

    def own(self, kind: str) -> tuple[Path, ...]:
        """Return the directories of the user's own files of a kind: `agent`, `skill`, `command`, `tool`, `plugin`. A
        later directory outweighs an earlier directory.
        """
        return (self.config / kind, self.config / f"{kind}s")

    @property
    def agents(self) -> tuple[Path, ...]:
        """Return the directories of the user's agents, each a Markdown file; of two agents with a name the later
        counts.
        """
        return self.own("agent")

    @property
    def skills(self) -> tuple[Path, ...]:
        """Return the directories of the user's skills, each in a directory with a SKILL.md."""
        return self.own("skill")


def default_locations() -> Locations:
    """Return the platform's own locations for an application's files. Raises SettingsError for a user without a home
    directory.

    A user invented by a container has no HOME.
    """
    directories = platformdirs.PlatformDirs("placet", appauthor=False)
    try:
        return Locations(
            config=directories.user_config_path,
            data=directories.user_data_path,
            cache=directories.user_cache_path,
            log=directories.user_log_path,
        )
    except RuntimeError as error:
        raise SettingsError("this user has no home directory: set HOME, or the XDG_*_HOME variables") from error
