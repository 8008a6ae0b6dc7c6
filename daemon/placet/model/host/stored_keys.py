"""Keys of `placet auth` in this process's environment, where litellm looks for keys."""

import asyncio
import os
import sys
import threading
from pathlib import Path

from placet.auth.keys import KeyStore
from placet.core.errors import SettingsError

_PATIENCE_SECONDS = 20.0
"""Seconds which the first call waits for a keyring; the keyring may be asking the user to unlock it."""


class StoredKeys:
    """Keys from the store: a new, replaced or removed key counts from the next call on.

    Variables which the environment had at the start are never replaced: a user who sets a variable there means the
    variable.
    """

    def __init__(self, store: KeyStore | None) -> None:
        self._store = store
        self.fixed_variables = frozenset(os.environ)
        """Variables which the environment had at the start."""
        self._ours: set[str] = set()
        """Variables which came from the store."""
        self._refreshing = asyncio.Lock()
        self._stamp: tuple[int, int] | None = None
        """Time and inode of the store's file at the last reading; None without a file."""

    @property
    def file(self) -> Path | None:
        """Return the path of the store's file, or None without a store."""
        return self._store.file if self._store is not None else None

    async def refresh(self) -> None:
        """Read the store, if the store exists and has changed; wait no longer than _PATIENCE_SECONDS.

        Costs one look at a file if the file has not changed.
        """
        async with self._refreshing:
            if self._is_changed():
                await asyncio.to_thread(self._load)

    def _load(self) -> None:
        # A daemon thread: a keyring that waits for the user must not keep the host alive.
        reading = threading.Thread(target=self._read, name="keys", daemon=True)
        reading.start()
        reading.join(_PATIENCE_SECONDS)

    def _is_changed(self) -> bool:
        return self._store is not None and self._file_stamp() != self._stamp

    def _file_stamp(self) -> tuple[int, int] | None:
        assert self._store is not None
        try:
            status = self._store.file.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_ino

    def _read(self) -> None:
        assert self._store is not None
        self._stamp = self._file_stamp()
        try:
            values, missing = self._store.values()
        except SettingsError as error:
            print(f"placet model host: {error}", file=sys.stderr, flush=True)  # noqa: T201
            return
        for name, reason in missing.items():
            print(f"placet model host: no key {name}: {reason}", file=sys.stderr, flush=True)  # noqa: T201
        for name in self._ours - values.keys():
            os.environ.pop(name, None)
        self._ours &= values.keys()
        for name, value in values.items():
            if name in self._ours or name not in os.environ:
                self._ours.add(name)
                os.environ[name] = value
