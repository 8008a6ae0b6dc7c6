"""Commands run at a desk as the bash tool runs them, under the eye of undo."""

import asyncio
import subprocess
from collections.abc import Callable
from pathlib import Path

from changes_support.desk import Desk
from placet.changes.commands.command_report import CommandChange
from placet.changes.pipeline import Changes
from placet.permissions.shell import analyse


async def run(
    desk: Desk, line: str, *, changes: Changes | None = None, meanwhile: Callable[[], object] = lambda: None
) -> CommandChange:
    """What became known of the command's changes. `meanwhile` happens after the command and before anybody looks."""
    findings = analyse(line, directory=desk.root, home=Path.home())
    async with (changes or desk.changes).around_command(findings) as found:
        await asyncio.to_thread(subprocess.run, ["bash", "-c", line], cwd=desk.root, check=False)
        meanwhile()
    return found


def git(root: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout
