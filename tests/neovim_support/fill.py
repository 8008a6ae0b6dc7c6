"""A server that fills holes for the true daemon, played from a test that is not asynchronous."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

from neovim_support.threaded_server import ThreadedServer
from wire_servers.fill_server import FillRequest, FillServer, Script


class FillModel(ThreadedServer):
    """Server in a thread of its own."""

    def __init__(self, script: Script | Sequence[str]) -> None:
        self._fills = FillServer(script)
        super().__init__(self._fills)

    @property
    def settings(self) -> dict[str, Any]:
        """The daemon's settings that name the server."""
        provider = {"kind": "llamafile", "apiBase": f"{self._fills.address}/v1", "key": False}
        return {"providers": {"mine": provider}, "completion": {"model": "mine/qwen2.5-coder"}}

    @property
    def requests(self) -> list[FillRequest]:
        return self._fills.requests


@contextmanager
def fill_model(script: Script | Sequence[str]) -> Generator[FillModel]:
    """A server on this machine, stopped at the end."""
    model = FillModel(script)
    model.start()
    try:
        yield model
    finally:
        model.stop()
