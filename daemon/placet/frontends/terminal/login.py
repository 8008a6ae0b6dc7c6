"""Log in by a plugin or with a subscription, at the terminal or through a pipe.

Secret input is never shown, and no input is logged.
"""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from placet.auth.keys import KeyStore
from placet.auth.login import Login, LoginPrompt, Step
from placet.auth.stored_key import StoredKey
from placet.auth.subscriptions.names import provider_named
from placet.core.errors import SettingsError
from placet.frontends.terminal.config import read_config
from placet.frontends.terminal.mcp import show_address
from placet.frontends.terminal.output import complain, say, say_lines
from placet.frontends.terminal.reading import read_answer
from placet.project.processes.process_secrets import hide_memory
from placet.sessions.services.signing_in import all_logins, keep, signed_in


async def log_in_without_key(store: KeyStore, provider: str, number: int | None) -> StoredKey | None:
    """Log in and keep the result; return None if neither a plugin nor a subscription has a method for the provider.

    Raises LoginFailed, SettingsError for an unknown method, and EOFError where nothing is entered.
    """
    provider = provider_named(provider)
    config = await read_config(Path.cwd())
    hide_memory()
    async with all_logins(config, (Path.cwd(),)) as known:
        for problem in known.problems:
            complain(problem)
        ways = known.to(provider)
        if not ways:
            return None
        way = _chosen(ways, number)
        return keep(store, provider, await signed_in(way, AtTerminal()), way)


class AtTerminal:
    """placet.sessions.services.signing_in.Person at the terminal. Blocks, as the process serves nobody else."""

    async def show(self, step: Step) -> None:
        if step.instructions:
            say_lines(step.instructions.split("\n"), to_stderr=True)
        if step.url is None:
            return
        if step.user_code is None:
            await show_address(step.url)
        else:
            _offer_browser(step.url)

    async def answer(self, asked: LoginPrompt) -> str:
        return _answered(asked)


def _offer_browser(address: str) -> None:
    """Open the address when the user presses Enter; the sign-in goes on meanwhile. Without a terminal do nothing."""
    loop = asyncio.get_running_loop()

    def open_address() -> None:
        import webbrowser

        loop.remove_reader(sys.stdin.fileno())
        sys.stdin.readline()
        loop.run_in_executor(None, webbrowser.open, address)

    if not sys.stdin.isatty():
        return
    try:
        loop.add_reader(sys.stdin.fileno(), open_address)
    except NotImplementedError:
        return  # Windows: the loop there watches no terminal, and the user opens the address.
    say("Press Enter to open the page in your browser, or Ctrl-C to cancel.", to_stderr=True)


def _chosen(ways: Sequence[Login], number: int | None) -> Login:
    if number is None and len(ways) > 1:
        for place, way in enumerate(ways, start=1):
            say(f"{place}  {way.method.label}{f'  plugin `{way.plugin}`' if way.plugin else ''}", to_stderr=True)
        answer = read_answer("Which method? ").strip()
        number = int(answer) if answer.isdecimal() else 0
    place = 1 if number is None else number
    if not 1 <= place <= len(ways):
        labels = ", ".join(f"{place} ({way.method.label})" for place, way in enumerate(ways, start=1))
        raise SettingsError(f"There is no such sign-in method. Methods: {labels}.")
    return ways[place - 1]


def _answered(prompt: LoginPrompt) -> str:
    choices = f" ({', '.join(prompt.options)})" if prompt.type == "select" else ""
    answer = read_answer(f"{prompt.message}{choices}: ", is_secret=prompt.secret).strip()
    if prompt.type == "select" and answer not in prompt.options:
        raise SettingsError(f"{prompt.message}: choose one of {', '.join(prompt.options)}.")
    return answer
