"""Storage for servers' tokens, in the same place as keys: the keyring or a file of the user's own."""

from dataclasses import dataclass
from pathlib import Path

from placet.auth.keys import KeyStore, Place
from placet.core.errors import SettingsError


@dataclass(frozen=True, slots=True)
class TokenFile:
    """Tokens in the user's key store. Every method blocks, and raises SettingsError."""

    path: Path

    def read(self, name: str, url: str) -> str | None:
        """Return the stored text for the server of this name at this address, or None.

        Raises SettingsError if the text is unreadable.
        """
        values, missing = KeyStore(self.path).values()
        if (why := missing.get(_entry(name, url))) is not None:
            raise SettingsError(f"The sign-in to the MCP server {name} cannot be read: {why}. Unlock the keyring.")
        return values.get(_entry(name, url))

    def keep(self, name: str, url: str, value: str) -> Place:
        return KeyStore(self.path).keep(_entry(name, url), value)

    def forget(self, name: str, url: str) -> bool:
        """Delete the stored text; return False if no text was stored."""
        return KeyStore(self.path).forget(_entry(name, url))

    def has(self, name: str, url: str) -> bool:
        return _entry(name, url) in KeyStore(self.path).places()


def _entry(name: str, url: str) -> str:
    return f"mcp {name} {url}"
