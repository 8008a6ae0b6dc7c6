"""A server as a process: `server.py stock|ours DIRECTORY`. Prints in every way there is, once the editor is there."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def chatter() -> None:
    print("from-print")  # noqa: T201
    sys.stdout.flush()
    os.write(1, b"from-write\n")
    libc = ctypes.CDLL(None)
    libc.puts(b"from-libc")
    libc.fflush(None)
    subprocess.run(["echo", "from-child"], check=True)


def stock() -> int:
    from pygls.lsp.server import LanguageServer

    server = LanguageServer("stock", "1")
    server.feature("initialized")(lambda _params: chatter())
    server.start_io()
    return 0


def ours(directory: Path) -> int:
    from placet.frontends.lsp.handshake import shake_hands

    if (handshake := shake_hands()) is None:
        return 1
    from placet.frontends.lsp.initialize import EditorSettings
    from placet.frontends.lsp.server import serve

    async def open_real_sessions(ports: Any, roots: tuple[Path, ...], editor_settings: EditorSettings, *_: Any) -> Any:
        chatter()
        from placet.model.client.host import ModelHost
        from placet.sessions.bootstrap import open_sessions
        from placet.settings import Locations, load_settings

        locations = Locations(*(directory / name for name in ("config", "data", "cache", "log")))
        settings = load_settings(locations, environment={}, editor=editor_settings.user)
        return await open_sessions(ports(settings), roots, settings, locations, ModelHost())

    return serve(open_real_sessions, handshake)


if __name__ == "__main__":
    sys.exit(stock() if sys.argv[1] == "stock" else ours(Path(sys.argv[2])))
