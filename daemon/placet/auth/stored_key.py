"""Description, for the user, of a kept login: everything but its value."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from placet.auth.keys import KeyStore, Place, SignIn, has_keyring


@dataclass(frozen=True, slots=True)
class StoredKey:
    variable: str
    place: Place
    sign_in: SignIn | None = None
    """Sign-in of a key that runs out; Placet renews the key by then."""

    def description(self, store: KeyStore, environment: Mapping[str, str]) -> str:
        """Return lines for the user. Blocks."""
        where = "the system's keyring" if self.place == "keyring" else str(store.file)
        lines = [f"{self.variable} is kept in {where}."]
        if self.sign_in is not None:
            if self.sign_in.account:
                lines.insert(0, f"You are signed in as {self.sign_in.account}.")
            lines.append(f"It is valid until {local_time(self.sign_in.expires)}, and is renewed by itself.")
        if self.place == "file":
            why = "The system's keyring rejected the key." if has_keyring() else "This system has no keyring."
            lines.append(f"{why} Only you, and every program that you run, can read the file.")
        if environment.get(self.variable):
            lines.append(f"{self.variable} is also set in the environment; there, the environment's value is used.")
        return "\n".join(lines)


def kind_of(sign_in: SignIn) -> str:
    """Return the kind of a key that runs out, its account and its end, for the user."""
    until = f"valid until {local_time(sign_in.expires)}"
    if not sign_in.is_subscription:
        return f"refreshed by the plugin `{sign_in.plugin}`, {until}"
    return ", ".join(part for part in ("subscription", sign_in.account, f"{until}, renewed by itself") if part)


def local_time(moment: float) -> str:
    """Return the time, in seconds since 1970, for the user."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))
