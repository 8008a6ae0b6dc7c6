"""Values of a server's inputs: kept beside the sign-ins to servers, and put into the settings at the server's start."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from placet.auth.keys import KeyStore
from placet.core.errors import SettingsError
from placet.extensions.mcp.errors import NeedsInput
from placet.extensions.mcp.inputs.redaction import NO_REDACTION, Redaction
from placet.project.inventory import folder_of
from placet.project.paths import real
from placet.project.processes.process_secrets import hide_memory
from placet.settings import McpServerSettings
from placet.settings.mcp import McpInput
from placet.settings.substitution import INPUT

_BOUND = {"command", "args", "env", "cwd", "url", "headers", "inputs"}
"""Settings that say where a value goes: a server with other such settings asks anew."""


class InputValues:
    """Values of one server of one project; the values belong to the server as the server is written.

    Kept as one entry in the user's key store. Each method blocks, and raises SettingsError.
    """

    def __init__(
        self, name: str, settings: McpServerSettings, folder: Path, store: Path, worktrees: Path | None = None
    ) -> None:
        """`folder` is the opened folder, in the project, and `store` the file of the key store. `worktrees` is the
        directory of Placet's worktrees, which have the values of their projects.
        """
        self._name = name
        self._settings = settings
        self._folder = folder
        self._worktrees = worktrees
        self._store = KeyStore(store)
        self.used = settings.used_inputs
        """Inputs to which the server's settings refer."""

    @cached_property
    def _key(self) -> str:
        """Return the name of the entry: the project, and everything that says where a value goes. Blocks."""
        written = self._settings.model_dump(mode="json", include=_BOUND)
        scope = json.dumps([str(self._project()), self._name, written], sort_keys=True)
        return f"mcp-input {self._name} {hashlib.sha256(scope.encode('utf-8', 'surrogatepass')).hexdigest()}"

    def _project(self) -> Path:
        """Return the folder of the project. Blocks."""
        folder = folder_of(self._folder)
        if self._worktrees is None or not folder.is_relative_to(home := real(self._worktrees)):
            return folder
        from placet.worktrees.counterpart import counterpart  # No start outside of a worktree needs the module.

        return counterpart(home, folder)

    def missing(self) -> tuple[McpInput, ...]:
        """Return the inputs without a value."""
        if not self.used or self._key not in self._store.places():
            return self.used
        values = self._read()
        return tuple(entry for entry in self.used if entry.id not in values)

    def keep(self, values: Mapping[str, str]) -> None:
        """Keep the values beside the earlier values of other inputs."""
        if any(entry.password for entry in self.used):
            hide_memory()
        kept = self._read() if self._key in self._store.places() else {}
        self._store.keep(self._key, json.dumps({**kept, **values}))

    def forget(self) -> bool:
        """Forget all values; return False if no value was kept."""
        return self._store.forget(self._key)

    def applied(self) -> tuple[McpServerSettings, Redaction]:
        """Return the settings with the values, and the redaction of the passwords among the values.

        Raises NeedsInput where a value is missing or makes no server.
        """
        if not self.used:
            return self._settings, NO_REDACTION
        if missing := self.missing():
            raise NeedsInput(needed(self._name, missing))
        values = self._read()
        passwords = {entry.id: values[entry.id] for entry in self.used if entry.password}
        if passwords:
            hide_memory()
        settings = with_values(self._settings, values)
        if settings.url is not None and not _is_address(settings.url):
            raise NeedsInput(
                f"The values for the MCP server {self._name} make no address that begins with http:// or https://. "
                f"Give other values with `placet mcp input {self._name}`."
            )
        return settings, Redaction(passwords)

    def _read(self) -> dict[str, str]:
        values, unreadable = self._store.values()
        if (why := unreadable.get(self._key)) is not None:
            raise SettingsError(f"The values for the MCP server {self._name} cannot be read: {why}.")
        return json.loads(values[self._key])


def with_values(settings: McpServerSettings, values: Mapping[str, str]) -> McpServerSettings:
    """Return the settings with the values in place of the references. A value counts as it is: references in a value
    are no references.
    """

    def put(value: Any) -> Any:
        if isinstance(value, str):
            return INPUT.sub(lambda reference: values[reference[1]], value)
        if isinstance(value, Mapping):
            return {key: put(entry) for key, entry in value.items()}
        return None if value is None else tuple(map(put, value))

    fields = _BOUND - {"inputs"}
    return settings.model_copy(update={name: put(getattr(settings, name)) for name in fields} | {"inputs": ()})


def needed(name: str, missing: Sequence[McpInput]) -> str:
    """Return the text for the user about missing values of the server."""
    names = ", ".join(entry.id for entry in missing)
    values = "a value" if len(missing) == 1 else "values"
    return f"The MCP server {name} needs {values} from you: {names}. Give {values} with `placet mcp input {name}`."


def _is_address(url: str) -> bool:
    return url.startswith(("http://", "https://")) and url.isprintable() and " " not in url
