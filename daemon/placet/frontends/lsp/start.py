"""Start of the LSP front end: on stdin and stdout of an editor, or as the daemon of several editors."""

from __future__ import annotations

TYPE_CHECKING = False  # typing's own takes as long to import as all that a pipe to a shared daemon needs.
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from placet.core.ports import Ports
    from placet.frontends.lsp.initialize import EditorSettings
    from placet.frontends.lsp.shared.daemon import Way
    from placet.sessions.registry import Sessions
    from placet.settings import Settings


def main(_arguments: list[str]) -> int:
    """Serve as a language server on stdin and stdout until the editor goes.

    With `daemon.shared`, serve as the pipe to a shared daemon.
    """
    from placet.frontends.lsp.shared import proxy

    if (code := proxy.serve()) is not None:
        return code
    from placet.frontends.lsp.handshake import shake_hands

    if (handshake := shake_hands()) is None:
        return 1
    from placet.frontends.lsp import server

    return server.serve(_open_sessions, handshake)


def listen(way: Way | None) -> int:
    """Serve as the daemon that several editors share, until the daemon has been idle for long enough."""
    from placet.frontends.lsp.shared import daemon

    return daemon.serve(_open_sessions, way)


async def _open_sessions(
    ports: Callable[[Settings], Ports], roots: tuple[Path, ...], editor_settings: EditorSettings, is_trusted: bool
) -> Sessions:
    """Open the core for an editor. Raises SettingsError and StoreError."""
    from placet.core.executor import in_thread
    from placet.sessions.bootstrap import open_sessions
    from placet.sessions.services.config import ConfigLoader, EditorTrust
    from placet.settings import default_locations

    locations = default_locations()
    loader = ConfigLoader(
        locations,
        roots,
        editor=editor_settings.user,
        workspace=editor_settings.workspace,
        editor_trust=EditorTrust(is_trusted),
    )
    config = await in_thread(loader.read)
    return await open_sessions(ports(config.settings), roots, config, locations, loader=loader)
