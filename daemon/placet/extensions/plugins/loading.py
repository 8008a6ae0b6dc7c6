"""Start of a bundle: a process that imports the files in turn, without the files that hang or crash the process."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from placet.core.errors import PlacetError
from placet.core.messages import JsonObject
from placet.extensions.plugins.errors import Ended
from placet.extensions.plugins.sources import Bundle, Entry, as_order
from placet.sandbox.programs import Contain, ContainProgram, Program, without_sandbox

if TYPE_CHECKING:
    from placet.extensions.plugins.process import ExtensionProcess

_START_SECONDS = 60.0

logger = logging.getLogger(__name__)


class Loaded(Struct, frozen=True):
    """Imported entry of a bundle."""

    entry: Entry
    tools: tuple[JsonObject, ...]
    """Tools, each with `key`, `name`, `description`, `schema`."""
    hooks: frozenset[str]


class Life(Struct):
    """Bundle at work, with its process."""

    bundle: Bundle
    process: "ExtensionProcess | None" = None
    loaded: list[Loaded] = field(default_factory=list[Loaded])
    broken: list[tuple[Entry, str]] = field(default_factory=list[tuple[Entry, str]])
    """Entries left out, each with the reason."""
    notes: list[str] = field(default_factory=list[str])

    @property
    def problems(self) -> list[str]:
        broken = [f"{entry.source} is ignored: {reason}" for entry, reason in self.broken]
        return [*self.bundle.problems, *broken, *self.notes]

    async def end(self) -> None:
        if self.process is not None:
            await self.process.close()


async def bring_to_life(
    bundle: Bundle,
    hung: "dict[str, str]",
    *,
    load_seconds: float,
    log: Path,
    on_end: Callable[[], None],
    contain: ContainProgram = without_sandbox,
) -> Life:
    """Start the bundle and return its life. Never raises for the files' faults.

    `contain` gives the sandbox for the bundle of a contained owner. `hung` holds, by key, why entries hung or crashed
    their process before; such entries are not tried, and new cases are added.
    """
    while True:
        life = Life(bundle, broken=[(entry, hung[entry.key]) for entry in bundle.entries if entry.key in hung])
        entries = [entry for entry in bundle.entries if entry.key not in hung]
        if not entries:
            return life
        try:
            if await _begin(life, entries, hung, load_seconds, log, on_end, _sandbox_of(bundle, contain)):
                return life
        except BaseException:
            if life.process is not None:
                life.process.kill()
                await life.end()
            raise


def _sandbox_of(bundle: Bundle, contain: ContainProgram) -> Contain | None:
    """Return the sandbox of the bundle's process, or None for a process outside."""
    owner = bundle.owner
    if not owner.is_contained:
        return None
    return contain(Program(f"the tools and plugins of {owner.name}", (owner.directory,)))


async def _begin(
    life: Life,
    entries: list[Entry],
    hung: dict[str, str],
    load_seconds: float,
    log: Path,
    on_end: Callable[[], None],
    sandbox: Contain | None,
) -> bool:
    """Start the process and import `entries`; return False to begin anew, without an entry that is now in `hung`."""
    from placet.extensions.plugins.process import ExtensionProcess  # Most starts have no tools and plugins.

    try:
        life.process = await ExtensionProcess.start(life.bundle.owner.directory, log, on_end, sandbox)
        async with asyncio.timeout(_START_SECONDS):
            await life.process.request({"do": "modules", "modules": as_order(life.bundle.modules)})
        culprit = await _load_all(life, life.process, entries, hung, load_seconds)
    except (OSError, TimeoutError, PlacetError) as error:
        life.broken += [(entry, f"its process cannot be started: {error}") for entry in entries]
        await life.end()
        return True
    if culprit is None:
        return True
    logger.warning("%s: %s", culprit.source, hung[culprit.key])
    life.process.kill()
    await life.end()
    return False


async def _load_all(
    life: Life, process: "ExtensionProcess", entries: list[Entry], hung: dict[str, str], load_seconds: float
) -> Entry | None:
    """Import the entries in turn; return the entry that hung or ended the process, or None."""
    for entry in entries:
        try:
            async with asyncio.timeout(load_seconds):
                offer: Any = await process.request(_load_order(life.bundle, entry))
        except TimeoutError:
            hung[entry.key] = f"its import took longer than {load_seconds:g} seconds."
            return entry
        except Ended:
            hung[entry.key] = "its import ended the process it runs in."
            return entry
        except PlacetError as error:
            life.broken.append((entry, str(error)))
            continue
        life.loaded.append(Loaded(entry, tuple(offer["tools"]), frozenset(offer["hooks"])))
        life.notes += [f"{entry.source}: {note}" for note in offer["notes"]]
    return None


def _load_order(bundle: Bundle, entry: Entry) -> JsonObject:
    owner = bundle.owner
    return {
        "do": "load",
        "kind": entry.kind,
        "key": entry.key,
        "name": entry.name,
        "module": entry.module,
        "directory": str(owner.directory),
        "worktree": str(owner.worktree),
        "options": entry.options,
    }
