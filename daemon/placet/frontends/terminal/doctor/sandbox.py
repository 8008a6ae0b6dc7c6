"""Check the sandbox for `placet doctor`: the backend, the system, the limits for this project, and the proposals."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

from placet.core.errors import SandboxFailed
from placet.core.executor import in_thread
from placet.frontends.terminal.doctor.findings import Finding
from placet.sandbox.diagnosis import System, namespaces_in_words, next_step, read_system, summary
from placet.sandbox.examination import Examination, examine, hard_links
from placet.sandbox.network.namespace import Networks
from placet.sandbox.sandbox import Sandbox
from placet.sandbox.this_host import this_host
from placet.sessions.services.programs import reading_of
from placet.settings import Locations, Settings
from placet.settings.models import SandboxSettings
from placet.text.counted import counted


async def sandbox_checks(settings: Settings, locations: Locations, directory: Path) -> AsyncIterator[Finding]:
    """Check the sandbox by a trial, and report the limits of commands in the directory."""
    roots = (directory.resolve(),)
    host = this_host(locations, os.environ)
    sandbox = Sandbox(host, os.environ)
    try:
        reading = await in_thread(reading_of, settings, roots)
        examination = await examine(sandbox, host, settings.sandbox, roots, reading=reading)
    except (OSError, SandboxFailed) as error:  # Placet's own folders cannot be made; other findings say so.
        yield Finding(
            "sandbox", "problem", f"cannot be tried: {error}", "Correct the folder, and run the doctor again."
        )
        return
    system = await in_thread(read_system)
    yield _backend(settings.sandbox, examination, system)
    container = f"in a container ({system.container})" if system.container else "in no container"
    yield Finding(
        "sandbox system",
        "fine",
        f"kernel {system.kernel}, Landlock {system.landlock_abi or 'missing'}, {container}, user {system.user}, "
        f"namespaces of users: {namespaces_in_words(system)}",
    )
    if examination.backend.level == "none":
        return
    yield _limits(examination)
    yield await _network(examination)
    yield _proposals(examination)
    if linked := await in_thread(hard_links, examination.containment.roots):
        yield Finding(
            "sandbox links",
            "note",
            f"{counted(linked, 'file')} of the project with further names (hard links): a write reaches the file under "
            "each name",
        )
    for text in examination.problems:
        yield Finding("sandbox settings", "problem", text, "Correct the setting; until then the entry is not used.")


def _backend(settings: SandboxSettings, examination: Examination, system: System) -> Finding:
    backend = examination.backend
    program = "" if backend.bubblewrap is None else f" ({backend.bubblewrap.program})"
    text, advice = f"{summary(backend)}{program}", next_step(backend, system)
    if settings.mode == "off":
        return Finding("sandbox", "note", f"off by the setting `sandbox.mode`; this system has: {text}")
    if backend.level == "full":
        return Finding("sandbox", "fine", text)
    if backend.level == "none" and settings.mode == "require":
        return Finding("sandbox", "problem", f"{text}; the setting `sandbox.mode` refuses every command", advice)
    if backend.level == "none":
        text = f"{text}; commands that you allow run with your rights"
    return Finding("sandbox", "note", text, advice)


def _limits(examination: Examination) -> Finding:
    protections, offered = examination.protections, examination.offered
    secrets = len(protections.masked_directories) + len(protections.masked_files) - len(examination.hidden_sockets)
    text = (
        f"{counted(len(protections.protected), 'protected path')} and "
        f"{counted(len(protections.hidden), 'hidden file')} in the project, "
        f"{secrets} hidden files and directories of yours, {counted(len(examination.hidden_sockets), 'hidden socket')}"
    )
    if protections.refusal:
        return Finding("sandbox limits", "problem", f"no command can run: {protections.refusal}", "Remove the link.")
    if reason := offered.unhidden or offered.gap:
        return Finding("sandbox limits", "note", f"{text}; each command is asked. {reason}")
    return Finding("sandbox limits", "fine", text)


async def _network(examination: Examination) -> Finding:
    """Start the network of a session, and end the network again."""
    containment, bubblewrap = examination.containment, examination.backend.bubblewrap
    if containment.network == "allow":
        return Finding("sandbox network", "note", "commands use your network without limits (`sandbox.network`)")
    if bubblewrap is None:
        text = f"held by {examination.backend.name}, without a loopback of the session's own"
        return Finding("sandbox network", "note", text)
    networks = Networks(bubblewrap.program)
    try:
        lacks = (await networks.of_session("doctor", containment)).lacks
    finally:
        await networks.close()
    if lacks:
        return Finding("sandbox network", "note", lacks)
    hosts = "each other host is asked" if containment.network == "ask" else "no other host is reached"
    return Finding("sandbox network", "fine", f"the commands of a session share a loopback, and {hosts}")


def _proposals(examination: Examination) -> Finding:
    program = examination.backend.overlay_bubblewrap
    if examination.against_overlays:
        text = f"changes by commands are made at once, and undone by undo: {examination.against_overlays}"
        return Finding("sandbox proposals", "note", text)
    assert program is not None
    version = ".".join(map(str, program.version))
    text = f"changes by unasked commands are proposed in the review (bubblewrap {version}, {program.program})"
    return Finding("sandbox proposals", "fine", text)
