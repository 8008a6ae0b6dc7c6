"""Loading of modules shortly before their use, while the user reads what is on the screen."""

import asyncio
import threading
import time
from collections.abc import Sequence
from importlib import import_module

PAUSE_SECONDS = 0.7
"""Time without a further call after which the modules are loaded."""
REST_SECONDS = 0.02
"""Rest after each module: requests of the user come first."""


class EarlyLoading:
    """Loading of some modules, in a pause of the user's requests; the services own the object."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._timer: asyncio.TimerHandle | None = None
        self._is_begun = False

    def begin_soon(self) -> None:
        """Load the modules in a thread after a pause; a further call begins the pause anew."""
        if self._is_begun:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(PAUSE_SECONDS, self._begin)

    def _begin(self) -> None:
        self._is_begun = True
        threading.Thread(target=self._load, name="early loading").start()

    def _load(self) -> None:
        for name in self._names:
            import_module(name)
            time.sleep(REST_SECONDS)
