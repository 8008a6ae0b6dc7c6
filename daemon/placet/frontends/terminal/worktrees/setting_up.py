"""Set a new worktree up at a terminal: the user agrees to the command of `worktree.setup`, and the command runs."""

import sys

from placet.core.errors import PlacetError, SettingsError
from placet.core.executor import in_thread
from placet.frontends.terminal.config import read_config
from placet.frontends.terminal.output import complain, say, say_lines
from placet.frontends.terminal.run.keyboard import forget_typed, read_line
from placet.sessions.worktrees.setup import SetupConsent, WorktreeSetup, worktree_setup
from placet.text.counted import counted
from placet.worktrees.create import Created
from placet.worktrees.records import PORTS, Worktree


def tell_of(created: Created) -> None:
    """Say on stderr what was made."""
    worktree, copied = created.worktree, created.copied
    along = ", with your uncommitted changes" if created.takes_changes else ""
    last = worktree.port + PORTS - 1
    say(f"worktree {worktree.name}: {worktree.path}{along}", to_stderr=True)
    say(f"  branch {worktree.branch}, ports {worktree.port} to {last}", to_stderr=True)
    if copied.files:
        say(f"  {counted(copied.files, 'ignored file')} copied", to_stderr=True)
    for reason in copied.left_out:
        say(f"  not copied: {reason}", to_stderr=True)


async def set_up(worktree: Worktree, *, may_ask: bool, is_allowed: bool = False) -> bool:
    """Run the command of the settings in the worktree, if the user agrees now or has agreed before.

    `is_allowed`: the command line allows everything. Return False, with a message, for a command that did not run or
    did not succeed.
    """
    try:
        config = await read_config(worktree.path)
        async with worktree_setup(worktree, config.settings, config.locations) as setup:
            if setup is None:
                return True
            consent = SetupConsent(config.locations.worktree_setups)
            if not (is_allowed or await _is_agreed(setup, consent, may_ask=may_ask)):
                complain(f"`worktree.setup` did not run: `placet worktree setup {worktree.name}` asks again")
                return False
            return await _run(setup, may_ask=may_ask)
    except PlacetError as error:
        complain(f"`worktree.setup` did not run: {error}")
        return False


async def _is_agreed(setup: WorktreeSetup, consent: SetupConsent, *, may_ask: bool) -> bool:
    repository = setup.worktree.repository
    if await in_thread(consent.is_given, repository, setup.command):
        return True
    if not may_ask:
        return False
    place = "in the sandbox" if setup.is_contained else "WITHOUT a sandbox, with your rights"
    say(
        f"The setting `worktree.setup` runs this command in each new worktree of {repository}, {place}:", to_stderr=True
    )
    say_lines((f"  {line}" for line in setup.command.splitlines()), to_stderr=True)
    if not await _is_yes("Run it, now and for later worktrees? [y/N] "):
        return False
    try:
        await in_thread(consent.give, repository, setup.command)
    except SettingsError as error:
        complain(f"the answer holds only now: {error}")
    return True


async def _run(setup: WorktreeSetup, *, may_ask: bool) -> bool:
    async def ask_host(host: str, port: int) -> bool:
        return may_ask and await _is_yes(f"The command wants to reach {host}:{port}. Allow it? [y/N] ")

    say("  setting up ...", to_stderr=True)
    outcome = await setup.run(ask_host)
    if not outcome.succeeded:
        complain(f"`worktree.setup` failed, {outcome.reason}:")
        say_lines((f"  {line}" for line in outcome.output.rstrip().splitlines()[-20:]), to_stderr=True)
    return outcome.succeeded


async def _is_yes(question: str) -> bool:
    forget_typed()
    try:
        return (await read_line(question)).strip().lower() in ("y", "yes")
    except EOFError:
        return False


def may_ask() -> bool:
    """Return whether a user is at the terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


async def confirmed(question: str) -> bool:
    """Return whether the user at the terminal says yes; False without a user."""
    return may_ask() and await _is_yes(f"{question} [y/N] ")
