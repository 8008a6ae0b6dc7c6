"""`placet auth`: log in to providers, keep their keys, list the names of keys, forget keys. Never shows a value."""

import getpass
import os
import sys

from placet.auth.keys import KeyStore, Place, variable_named
from placet.auth.stored_key import StoredKey, kind_of
from placet.auth.subscriptions.names import still_valid
from placet.core.errors import SettingsError
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import complain, say, say_lines
from placet.settings import default_locations


def main(action: str, name: str, method: int | None = None, *, is_for_client: bool = False) -> ExitCode:
    """Run `login`, `set`, `remove` or `list`; a failure is a message on stderr and an exit code.

    A login for a client of the Agent Client Protocol ends with the client's `logout`.
    """
    try:
        store = KeyStore(default_locations().keys)
        match action:
            case "login":
                return _login(store, name.lower(), method, is_for_client=is_for_client)
            case "set":
                return _set(store, variable_named(name))
            case "remove":
                return _remove(store, variable_named(name))
            case _:
                return _list(store)
    except SettingsError as error:
        complain(str(error))
        return ExitCode.USAGE
    except (KeyboardInterrupt, EOFError):
        complain("nothing was changed")
        return ExitCode.CANCELLED


def log_in() -> ExitCode:
    """Ask for the provider, and run `login` for a client of the Agent Client Protocol."""
    try:
        provider = input("Provider (for example anthropic, openai, openrouter, chatgpt, github-copilot): ").strip()
    except (KeyboardInterrupt, EOFError):
        provider = ""
    if not provider:
        complain("nothing was changed")
        return ExitCode.CANCELLED
    return main("login", provider, is_for_client=True)


def _login(store: KeyStore, provider: str, method: int | None, *, is_for_client: bool) -> ExitCode:
    """Log in by a plugin that has a method for the provider or with a subscription, or else ask for the key."""
    import asyncio

    from placet.auth.login import LoginFailed
    from placet.frontends.terminal.login import log_in_without_key  # Slow to import, as it needs all of the core.

    variable = variable_named(provider)
    try:
        stored_key = asyncio.run(log_in_without_key(store, provider, method))
    except LoginFailed as error:
        complain(str(error))
        return ExitCode.FAILED
    if stored_key is None:
        _set(store, variable)
    else:
        variable = stored_key.variable
        say_lines(stored_key.description(store, os.environ).split("\n"))
    if is_for_client:
        store.mark(variable)
    return ExitCode.DONE


def _set(store: KeyStore, variable: str) -> ExitCode:
    place = store.keep(variable, _read_value(variable))
    say_lines(StoredKey(variable, place).description(store, os.environ).split("\n"))
    return ExitCode.DONE


def _read_value(variable: str) -> str:
    """Read a line: from the terminal without showing the input, or from a pipe."""
    if sys.stdin.isatty():
        return getpass.getpass(f"{variable}: ")
    return sys.stdin.readline()


def _remove(store: KeyStore, variable: str) -> ExitCode:
    sign_in = store.sign_ins().get(variable)
    if not store.forget(variable):
        raise SettingsError(f"There is no stored key {variable}; `placet auth list` lists the keys.")
    say(f"{variable} was removed.")
    if sign_in is not None and sign_in.is_subscription:
        say(still_valid(sign_in.provider))
    return ExitCode.DONE


def _list(store: KeyStore) -> ExitCode:
    places = store.places()
    sign_ins = store.sign_ins()
    width = max(map(len, places), default=0)
    for variable, place in sorted(places.items()):
        note = " (the environment's value is used)" if os.environ.get(variable) else ""
        if sign_in := sign_ins.get(variable):
            note = f", {kind_of(sign_in)}{note}"
        say(f"{variable:{width}}  {_where(store, place)}{note}")
    if not places:
        say("No keys are stored. To store a key: placet auth set anthropic")
    return ExitCode.DONE


def _where(store: KeyStore, place: Place) -> str:
    return "the system's keyring" if place == "keyring" else str(store.file)
