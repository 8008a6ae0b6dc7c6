"""Offer of a sandbox to the commands of a session's agent, made of the limits and of what the disk says. Pure."""

from placet.core.values import replace
from placet.sandbox.containment import CommandSandbox, Containment
from placet.sandbox.listings import ALL_READABLE
from placet.sandbox.preflight import Backend
from placet.sandbox.protections import Protections
from placet.settings.models import SandboxSettings

_EVERY_FILE = "A rule for `read` does not allow every file"
_NOT_HIDDEN = "Not every file that a rule for `read` asks about can be hidden: the project {}"
_NOT_HELD = "The sandbox cannot protect every file that other programs obey: the project {}"


def command_sandbox(
    settings: SandboxSettings,
    containment: Containment,
    found: Protections,
    backend: Backend,
    *,
    proposes: bool,
    asks_about_all: bool,
) -> CommandSandbox:
    """Return the sandbox offered to commands; `asks_about_all`: a rule for `read` does not allow every file.

    Where not all files can be hidden, none is: the sandbox then answers for no command.
    """
    is_partial = backend.level == "partial"
    unhidden = _EVERY_FILE if asks_about_all else _NOT_HIDDEN.format(found.unhidden) if found.unhidden else ""
    gap = _NOT_HELD.format(found.gap) if found.gap else ""
    hides = not (is_partial or unhidden)
    reading = containment.reading if hides else ALL_READABLE
    return CommandSandbox(
        settings,
        replace(containment, reading=reading, must_hold=hides and not gap),
        is_partial=is_partial,
        proposes=proposes,
        hidden=tuple(file.path for file in found.hidden) if hides else (),
        unhidden=unhidden,
        gap=gap,
    )
