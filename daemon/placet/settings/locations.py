"""Where Placet keeps its things."""

from dataclasses import dataclass
from pathlib import Path

import platformdirs

from placet.core.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Locations:
    """Directories, made when something is first written to them."""

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
        """Which MCP servers the user has signed in to."""
        return self.config / "mcp-auth.json"

    @property
    def grants(self) -> Path:
        """What the user allowed with "always", for a project or everywhere."""
        return self.config / "grants.json"

    @property
    def trust(self) -> Path:
        """Which projects the user lets use what they bring."""
        return self.config / "trust.json"

    @property
    def tool_output(self) -> Path:
        """Whole outputs of tools, of which a model is shown only a part: a directory for each session's."""
        return self.data / "tool-output"

    def outputs_of(self, session_id: str) -> Path:
        return self.tool_output / session_id

    @property
    def plans(self) -> Path:
        """One Markdown file a session."""
        return self.data / "plans"

    def own(self, kind: str) -> tuple[Path, ...]:
        """Where the user's things of that kind lie: `agent`, `skill`, `command`, `tool`, `plugin`; the later counts."""
        return (self.config / kind, self.config / f"{kind}s")

    @property
    def agents(self) -> tuple[Path, ...]:
        """Where the user's agents lie, each a Markdown file; of two of one name the later counts."""
        return self.own("agent")

    @property
    def skills(self) -> tuple[Path, ...]:
        """Where the user's skills lie, each in a directory of its own with a SKILL.md."""
        return self.own("skill")


def default_locations() -> Locations:
    """The platform's own places for an application's files. Raises SettingsError where there is no home to have them.

    So it is for a user that a container made up, without HOME.
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
