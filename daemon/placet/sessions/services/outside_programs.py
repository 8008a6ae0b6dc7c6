"""Places in the project that settings or variables of the user name, and that Placet runs outside of the sandbox.

A command must not change such a place without a question, also where git ignores the place.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from placet.project.named_scripts import named_places
from placet.project.paths import with_home
from placet.sessions.services.config import Config

_NAMING = (
    *("BROWSER", "EDITOR", "GIT_ASKPASS", "GIT_EDITOR", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_SSH", "GIT_SSH_COMMAND"),
    *("PAGER", "SSH_ASKPASS", "VISUAL"),
)
"""Variables that name a program for Placet, or for git."""


def outside_programs(config: Config, roots: Sequence[Path]) -> list[Path]:
    """Return the places named by variables, and by commands of hooks, MCP servers and language servers without a
    sandbox.
    """
    return [place for words, directories in _commands(config, roots) for place in named_places(words, directories)]


def _commands(config: Config, roots: Sequence[Path]) -> Iterator[tuple[Sequence[str], Sequence[Path]]]:
    settings = config.settings
    for value in filter(None, map(os.environ.get, _NAMING)):
        yield (value,), roots
    for hook in config.hooks:
        if hook.leaves_sandbox or settings.plugins.sandbox is False:
            yield (hook.command, *(hook.arguments or ())), roots
    for server in settings.mcp.servers.values():
        if server.command and not server.sandbox:
            written = (server.command,) if isinstance(server.command, str) else server.command
            yield (*written, *server.args), [root / with_home(server.cwd or "") for root in roots]
    if settings.languages.own and not settings.languages.sandbox:
        for server in settings.languages.servers.values():
            yield server.command or (), roots
