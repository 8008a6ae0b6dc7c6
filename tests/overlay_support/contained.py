"""Commands at a desk under an overlay, as the bash tool runs them."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from changes_support.desk import Desk
from overlay_support.bubblewrap import under_overlay
from placet.changes.commands.contained_changes import ContainedChange
from placet.changes.pipeline import Changes
from placet.permissions.shell import analyse


async def run_contained(
    desk: Desk,
    line: str,
    *,
    changes: Changes | None = None,
    meanwhile: Callable[[], object] = lambda: None,
    fails: bool = False,
) -> ContainedChange:
    """What became of the command's changes. `meanwhile` happens after the command and before anybody looks."""
    findings = analyse(line, directory=desk.root, home=Path.home())
    async with (changes or desk.changes).around_contained(findings, line) as change:
        done = await asyncio.to_thread(under_overlay, change.mounts, line, desk.root)
        assert fails or done.returncode == 0, done.stderr
        meanwhile()
    return change


def asked_names(desk: Desk) -> list[str]:
    """The files that the last question was about."""
    change = desk.approver.requests[-1].change
    return sorted(file.path.relative_to(desk.root).as_posix() for file in change.files)
