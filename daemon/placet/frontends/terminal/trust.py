"""`placet trust`: show the items that a project brings for Placet, and decide whether Placet uses the items."""

import sys
from collections.abc import Sequence
from pathlib import Path

from placet.core.errors import SettingsError
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import complain, say, say_json
from placet.permissions.trust import ProjectTrust, Trust, listed
from placet.project.inventory import InventoryItem, folder_of, inventory
from placet.sessions.services.shown_hooks import shown_hooks
from placet.settings import default_locations

_STANDS = {
    "nothing": "has no extensions for Placet",
    "trusted": "is trusted",
    "refused": "is not trusted",
    "unasked": "is not trusted, as you have not decided yet",
    "changed": "is not trusted any more, as its extensions have changed",
    "withheld": "is not trusted by the editor",
}


async def trust(directory: Path, *, answer: bool | None, as_json: bool) -> ExitCode:
    """Show the items that the project brings, and decide: by `answer`, else by the user's answer at a terminal."""
    try:
        store = Trust(default_locations().trust)
        judged = store.judge(inventory(directory))
        if as_json:
            say_json(_plain(judged))
        else:
            _show(judged)
        if judged.standing == "nothing":
            return ExitCode.DONE
        if answer is None and not as_json and sys.stdin.isatty() and judged.standing != "trusted":
            answer = await _asked()
        if answer is not None:
            store.decide(judged.inventory, trusted=answer)
            complain(f"{judged.inventory.folder} is {'trusted' if answer else 'not trusted'}.")
    except SettingsError as error:
        complain(str(error))
        return ExitCode.USAGE
    return ExitCode.DONE


def forget(directory: Path) -> ExitCode:
    """Forget the decision about the project."""
    folder = folder_of(directory)
    try:
        was_decided = Trust(default_locations().trust).forget(folder)
    except SettingsError as error:
        complain(str(error))
        return ExitCode.USAGE
    complain(f"{folder}: {'the decision is forgotten' if was_decided else 'there was no decision'}.")
    return ExitCode.DONE if was_decided else ExitCode.USAGE


def listing(*, as_json: bool) -> ExitCode:
    """Print every folder with a decision."""
    try:
        decisions = Trust(default_locations().trust).decisions()
    except SettingsError as error:
        complain(str(error))
        return ExitCode.USAGE
    if as_json:
        say_json({folder: decision.trusted for folder, decision in decisions.items()})
    else:
        for folder, decision in sorted(decisions.items()):
            say(f"{'trusted' if decision.trusted else 'not trusted':11} {folder}")
    return ExitCode.DONE


def _show(judged: ProjectTrust) -> None:
    say(f"{judged.inventory.folder} {_STANDS[judged.standing]}.")
    if judged.standing == "changed":
        say("New or changed extensions:")
        _print(listed(judged.news, shown_hooks))
        say("All extensions:")
    _print(listed(judged.inventory.items, shown_hooks))
    for problem in judged.inventory.problems:
        say(f"  ! {problem}")


def _print(lines: Sequence[str]) -> None:
    for line in lines:
        say(f"  {line}")


async def _asked() -> bool | None:
    from placet.frontends.terminal.run.keyboard import read_line  # Only here, asyncio is necessary.

    say("Extensions can run programs, and can allow tools more without asking.")
    answer = (await read_line("Trust this project? [y/N] ") or "").strip().lower()
    return True if answer in ("y", "yes") else None


def _plain(judged: ProjectTrust) -> dict[str, object]:
    news = set(judged.news)

    def plain(item: InventoryItem) -> dict[str, object]:
        return {"kind": item.kind, "name": item.name, "sha256": item.digest, "new": item in news}

    return {
        "folder": str(judged.inventory.folder),
        "standing": judged.standing,
        "items": [plain(item) for item in judged.inventory.items],
        "problems": list(judged.inventory.problems),
    }
