"""Words before a command for the backends that lay no mounts: Landlock on Linux, Seatbelt on macOS."""

import sys
from collections.abc import Sequence
from pathlib import Path

from placet.core.executor import in_thread
from placet.project.paths import real
from placet.project.processes.programs import find_program
from placet.project.protected_names import PATTERNS
from placet.sandbox.containment import Containment, Host
from placet.sandbox.fallbacks import seatbelt
from placet.sandbox.fallbacks.landlock import (
    Surroundings,
    landlock_abi,
    landlock_rules,
    launcher_words,
    system_directories,
    unusable,
    weaknesses,
)
from placet.sandbox.preflight import Backend, runs
from placet.sandbox.protections import Protections


async def fallback(reason: str, containment: Containment, host: Host, scratch: Path) -> Backend:
    """Return the backend where bubblewrap does not work, for the given reason, after a trial."""
    true = await in_thread(find_program, "true") or "/usr/bin/true"
    if sys.platform == "darwin":
        words = seatbelt_words(containment, Protections(), (scratch,), None)
        if await runs((*words, true)):
            return Backend("seatbelt", "full")
        return Backend("none", "none", "sandbox-exec does not work here")
    lacking = unusable(landlock_abi())
    if lacking is not None:
        return Backend("none", "none", f"{reason}, and {lacking}")
    words = await in_thread(landlock_words, containment, Protections(), host, scratch, (), None, None)
    if not await runs((*words, true)):
        return Backend("none", "none", f"{reason}, and Landlock does not work here")
    return Backend(
        "landlock", "partial", f"{reason}; under Landlock " + "; ".join(weaknesses(landlock_abi(), containment))
    )


def landlock_words(
    containment: Containment,
    protections: Protections,
    host: Host,
    temporary: Path,
    caches: Sequence[Path],
    proxy_port: int | None,
    status: int | None,
) -> tuple[str, ...]:
    """Return the words of Landlock's launcher, which writes to `status` why a command did not start. Blocks."""
    surroundings = Surroundings(
        abi=landlock_abi(),
        home=real(host.home),
        system=system_directories(),
        programs=tuple(dict.fromkeys(map(real, host.programs))),
        temporary=real(temporary),
        caches=tuple(map(real, caches)),
        git_directories=protections.outer_git,
        proxy_port=proxy_port,
    )
    return launcher_words(landlock_rules(containment, surroundings), status=status)


def seatbelt_words(
    containment: Containment, protections: Protections, temporary: Sequence[Path], proxy_port: int | None
) -> tuple[str, ...]:
    """Return the words of sandbox-exec; names that are missing are protected too."""
    held = seatbelt.Protections(
        (*protections.protected, *protections.unheld, *protections.absent),
        PATTERNS,
        tuple(file.path for file in protections.hidden),
    )
    return seatbelt.sandbox_exec_words(
        seatbelt.seatbelt_profile(containment, held, tuple(map(real, temporary)), proxy_port=proxy_port)
    )
