"""Store of the keys of `placet auth`: the system's keyring, or without a keyring a file only the user can read.

`keys.json` in the configuration directory lists the keys, their places and their ends. The model host reads the values
(model/host/stored_keys.py); the daemon reads only the values which a plugin has to renew (token_refresh.py).
"""

import json
import re
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from placet.core.errors import SettingsError
from placet.project.files.private_file import PrivateFile
from placet.settings.provider_keys import VARIABLES, variables_of

JsonObject = dict[str, Any]

SERVICE = "placet"
"""Name of Placet in the keyring; the user name of an entry is the variable's name."""

_MARK = "byClient"
"""Field of an entry whose value was given at the sign-in of a client."""

Place = Literal["keyring", "file"]

_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
_PROVIDER = re.compile(r"[a-z0-9][a-z0-9_.-]*")

# A login of several parts: which is meant has to be said.
_SEVERAL_PARTS = {
    "bedrock": ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION_NAME"),
    "sagemaker": ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION_NAME"),
    "vertex_ai": ("VERTEXAI_PROJECT", "VERTEXAI_LOCATION", "GOOGLE_APPLICATION_CREDENTIALS"),
}


def is_key_variable(name: str) -> bool:
    """Return whether a variable of this name may hold a provider's key, or the start of a login with a provider."""
    return name.endswith("_API_KEY") or any(name in variables for variables in VARIABLES.values())


def variable_named(name: str) -> str:
    """Return the variable which a user means by `ANTHROPIC_API_KEY` or by `anthropic`. Raises SettingsError."""
    if _VARIABLE.fullmatch(name):
        return name
    provider = name.lower()
    if parts := _SEVERAL_PARTS.get(provider):
        raise SettingsError(f"{provider} needs more than one value; set each by its variable: {', '.join(parts)}.")
    if not _PROVIDER.fullmatch(provider):
        raise SettingsError(
            f"`{name}` is neither a provider, for example anthropic, nor a variable, for example ANTHROPIC_API_KEY."
        )
    return variables_of(provider)[0]


@dataclass(frozen=True, slots=True)
class SignIn:
    """Entry in `keys.json` of a key which runs out, from a plugin's login or from the sign-in with a subscription."""

    provider: str
    plugin: str
    """Name of the plugin which can renew the key; empty for a subscription, which the model host renews."""
    expires: float
    """End of the key in seconds since 1970."""
    account: str = ""
    """Account and plan of a subscription, for the user."""

    @property
    def is_subscription(self) -> bool:
        return not self.plugin

    def stored(self) -> JsonObject:
        """Return the entry for the file."""
        return {name: value for name, value in asdict(self).items() if value or name != "account"}


@dataclass(frozen=True, slots=True)
class KeyStore:
    """Store of the user's keys. Every method blocks, and the keyring may ask the user to unlock the keyring."""

    file: Path
    """Path of `keys.json`."""

    def places(self) -> dict[str, Place]:
        """Return each variable with the place of its value. Raises SettingsError."""
        return {name: "file" if "value" in entry else "keyring" for name, entry in self._read().items()}

    def values(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the value of each variable, and the reason for each unreadable value. Raises SettingsError.

        A subscription has further variables, which hold no secret.
        """
        values: dict[str, str] = {}
        missing: dict[str, str] = {}
        for name, entry in self._read().items():
            try:
                value = entry["value"] if "value" in entry else _keyring_value(name)
                if value is None:
                    missing[name] = "the keyring no longer has the key"
                elif "expires" in entry:
                    tokens = json.loads(value)
                    values[name] = tokens["access"]
                    values |= {} if entry.get("plugin") else _environment_of(name, tokens)
                else:
                    values[name] = value
            except Exception as error:  # noqa: BLE001 - keyring's backends raise what the system's libraries raise
                missing[name] = f"{type(error).__name__}: {error}"
        return values, missing

    def keep(self, variable: str, value: str) -> Place:
        """Keep the value, in the keyring if the system has a keyring. Raises SettingsError."""
        value = _checked(variable, value)
        with self._alone():
            return self._keep(variable, value, {})

    def keep_sign_in(self, variable: str, sign_in: SignIn, tokens: JsonObject) -> Place:
        """Keep the tokens of a login: `access`, which is the key, and the tokens for renewal. Raises SettingsError."""
        value = _packed(variable, tokens)
        with self._alone():
            return self._keep(variable, value, sign_in.stored())

    def renew_sign_in(self, variable: str, before: SignIn, sign_in: SignIn, tokens: JsonObject) -> bool:
        """Keep the tokens, unless the user has signed in anew, or out, meanwhile; return False then. Raises
        SettingsError.
        """
        value = _packed(variable, tokens)
        with self._alone():
            if self.sign_ins().get(variable) != before:
                return False
            mark = {_MARK: True} if self._read()[variable].get(_MARK) else {}
            self._keep(variable, value, {**sign_in.stored(), **mark})
            return True

    def sign_ins(self) -> dict[str, SignIn]:
        """Return the keys which run out, by variable. Reads no keyring. Raises SettingsError."""
        return {
            name: SignIn(
                str(entry.get("provider")),
                str(entry.get("plugin") or ""),
                float(entry["expires"]),
                str(entry.get("account") or ""),
            )
            for name, entry in self._read().items()
            if isinstance(entry.get("expires"), int | float)
        }

    def tokens(self, variable: str) -> JsonObject:
        """Return all kept tokens of a key which runs out. Raises SettingsError if the tokens cannot be read."""
        entry = self._read().get(variable, {})
        try:
            return dict(json.loads(entry["value"] if "value" in entry else _keyring_value(variable) or ""))
        except Exception as error:  # noqa: BLE001 - as above, and the error's words may quote the stored key
            raise SettingsError(f"The stored key {variable} cannot be read ({type(error).__name__}).") from None

    def forget(self, variable: str) -> bool:
        """Forget the value in every place; return False if no value was kept. Raises SettingsError."""
        with self._alone():
            entries = self._read()
            entry = entries.pop(variable, None)
            if entry is None:
                return False
            if "value" not in entry:
                _forget_in_keyring(variable)
            self._write(entries)
            return True

    def mark(self, variable: str) -> None:
        """Note that the kept value was given at the sign-in of an editor or client. Raises SettingsError."""
        with self._alone():
            entries = self._read()
            if variable in entries:
                entries[variable][_MARK] = True
                self._write(entries)

    def forget_marked(self) -> tuple[str, ...]:
        """Forget the values that were given at the sign-in of an editor or client, and return the variables.

        A value that was set anew elsewhere is no longer marked. Raises SettingsError.
        """
        return tuple(name for name, entry in self._read().items() if entry.get(_MARK) and self.forget(name))

    def _keep(self, variable: str, value: str, details: JsonObject) -> Place:
        entries = self._read()
        in_keyring = _keep_in_keyring(variable, value)
        entries[variable] = details if in_keyring else {**details, "value": value}
        self._write(entries)
        return "keyring" if in_keyring else "file"

    @contextmanager
    def _alone(self) -> Generator[None]:
        """Lock the store among all processes which change keys: no process may overwrite another process's new key."""
        with ExitStack() as stack:
            try:
                stack.enter_context(PrivateFile(self.file).locked())
            except OSError as error:
                raise SettingsError(f"{self.file} cannot be written: {error.strerror}.") from error
            yield

    def _read(self) -> dict[str, JsonObject]:
        try:
            content: Any = json.loads(self.file.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            # Not the error's own words: the words may quote the file.
            raise SettingsError(
                f"{self.file} cannot be read ({type(error).__name__}); remove the file, then set the keys again."
            ) from None
        if not isinstance(content, dict) or not all(isinstance(entry, dict) for entry in content.values()):
            raise SettingsError(
                f"{self.file}: expected an object of objects; remove the file, then set the keys again."
            )
        return content

    def _write(self, entries: Mapping[str, JsonObject]) -> None:
        try:
            PrivateFile(self.file).write(json.dumps(entries, indent=1))
        except OSError as error:
            raise SettingsError(f"{self.file} cannot be written: {error.strerror}.") from error


def _environment_of(variable: str, tokens: JsonObject) -> dict[str, str]:
    """Return the further variables of a subscription; a variable of another provider is left out."""
    beginning = variable.removesuffix("API_KEY")
    named: dict[str, Any] = tokens.get("environment") or {}
    return {name: value for name, value in named.items() if name.startswith(beginning) and isinstance(value, str)}


def _checked(variable: str, value: str) -> str:
    value = value.strip()
    if not value or not value.isprintable():
        raise SettingsError(f"The text is not a key for {variable}: expected one line of text.")
    return value


def _packed(variable: str, tokens: JsonObject) -> str:
    return json.dumps({**tokens, "access": _checked(variable, tokens["access"])})


def has_keyring() -> bool:
    """Return whether the system has a keyring which keeps values: most machines without a desktop have none."""
    import keyring
    from keyring.backends import fail, null

    try:
        return not isinstance(keyring.get_keyring(), fail.Keyring | null.Keyring)
    except Exception:  # noqa: BLE001 - as above
        return False


def _keyring_value(variable: str) -> str | None:
    import keyring

    return keyring.get_password(SERVICE, variable)


def _keep_in_keyring(variable: str, value: str) -> bool:
    """Return whether the keyring kept the value: some keyrings refuse, for example without a session for unlocking."""
    if not has_keyring():
        return False
    import keyring

    try:
        keyring.set_password(SERVICE, variable, value)
        return keyring.get_password(SERVICE, variable) == value
    except Exception:  # noqa: BLE001 - as above
        return False


def _forget_in_keyring(variable: str) -> None:
    import keyring

    with suppress(Exception):  # As above; the key may be gone already.
        keyring.delete_password(SERVICE, variable)
