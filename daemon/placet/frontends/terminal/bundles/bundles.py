"""`placet plugin`: add, list, show, update and remove bundles; the user sees everything that a bundle would run."""

import argparse
from pathlib import Path

from placet.core.errors import PlacetError, SettingsError
from placet.core.visible_text import spelled_out
from placet.extensions.bundles import steps
from placet.extensions.bundles.fetch import Source, read_source
from placet.extensions.bundles.files import BundleError, digest_of
from placet.extensions.bundles.loading import load_bundle
from placet.extensions.bundles.manifest import read_bundle
from placet.extensions.bundles.register import Register, Registered
from placet.extensions.bundles.summary import changes, summary
from placet.frontends.terminal.agreement import agrees
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import complain, say, say_json
from placet.settings import Locations, default_locations
from placet.text.counted import counted


def main(options: argparse.Namespace) -> ExitCode:
    """Run an action of `placet plugin`."""
    try:
        locations = default_locations()
        match options.action:
            case "add":
                return _add(locations, options)
            case "update":
                return _update(locations, options)
            case "show":
                return _show(locations, options.name)
            case "enable" | "disable":
                steps.switch(locations, options.name, is_on=options.action == "enable")
                complain(f"{options.name} is {'used' if options.action == 'enable' else 'left out'} from now on.")
            case "remove":
                data = steps.remove(locations, options.name)
                complain(f"{options.name} is removed.{f' Its programs have left files in {data}.' if data else ''}")
            case _:
                return _list(locations, as_json=options.json)
    except (BundleError, SettingsError) as error:
        complain(error.with_hint)
        return ExitCode.USAGE
    return ExitCode.DONE


def _add(locations: Locations, options: argparse.Namespace) -> ExitCode:
    source = read_source(options.source, Path.cwd())
    if options.yes and not source.is_pinned and not options.digest:
        raise BundleError("`--yes` needs a source with a full commit (URL@COMMIT), or `--digest`.")
    candidate = steps.look_at(source, path=options.path, plugin=options.plugin)
    steps.refuse_taken(locations, candidate.bundle.name)
    _refuse_other_digest(candidate, options.digest)
    _say_facts(candidate)
    for line in summary(candidate.bundle, candidate.files):
        say(f"  {line}")
    if not _agreed(
        options, "Add this bundle? Its programs run with your rights, hooks and MCP servers in the sandbox."
    ):
        return ExitCode.REJECTED
    steps.add(locations, candidate)
    complain(f"{candidate.bundle.name} is added.")
    return ExitCode.DONE


def _update(locations: Locations, options: argparse.Namespace) -> ExitCode:
    name, _, ref = options.name.partition("@")
    known = steps.registered(locations, name)
    candidate = steps.newer(locations, name, ref)
    new = candidate.registered
    _refuse_other_digest(candidate, options.digest)
    stored = steps.stored_files(locations, name)
    is_whole = digest_of(stored) == known.digest
    if is_whole and (new.digest, new.commit) == (known.digest, known.commit):
        complain(f"{name} has not changed{f' at {known.commit}' if known.commit else ''}.")
        return ExitCode.DONE
    if options.yes and not Source(new.source, ref, new.is_git).is_pinned and not options.digest:
        raise BundleError("`--yes` needs a full commit (NAME@COMMIT), or `--digest`.")
    _say_facts(candidate)
    if not is_whole:
        say("  ! The stored files are not the files that you added.")
    elif new.digest == known.digest:
        say("  Only the commit is new; the files are the same.")
    for line in changes(stored, candidate.files):
        say(f"  {line}")
    say("  With these changes the bundle has:")
    for line in summary(candidate.bundle, candidate.files):
        say(f"  {line}")
    if not _agreed(options, "Take this state?"):
        return ExitCode.REJECTED
    steps.add(locations, candidate)
    complain(f"{name} is updated.")
    return ExitCode.DONE


def _show(locations: Locations, name: str) -> ExitCode:
    known = steps.registered(locations, name)
    files = steps.stored_files(locations, name)
    bundle = read_bundle(files, fallback=name)
    _say_facts(steps.Candidate(bundle, files, known))
    for line in summary(bundle, files):
        say(f"  {line}")
    load_bundle(locations, name, known)
    return ExitCode.DONE


def _list(locations: Locations, *, as_json: bool) -> ExitCode:
    bundles = Register(locations.bundle_register).bundles()
    states = {name: _state(locations, name, bundle) for name, bundle in bundles.items()}
    if as_json:
        say_json(
            {
                name: {
                    "source": bundle.source,
                    "commit": bundle.commit or None,
                    "digest": bundle.digest,
                    "version": bundle.version or None,
                    "enabled": bundle.is_enabled,
                    "problem": states[name] or None,
                }
                for name, bundle in bundles.items()
            }
        )
        return ExitCode.DONE
    if not bundles:
        say("You have no bundles. `placet plugin add PATH|URL@COMMIT` adds one.")
    for name, bundle in bundles.items():
        mark = "" if bundle.is_enabled else " (disabled)"
        say(
            f"{spelled_out(name)}{f' {spelled_out(bundle.version)}' if bundle.version else ''}{mark}  {_origin(bundle)}"
        )
        if states[name]:
            say(f"  ! not used: {states[name]}")
    return ExitCode.DONE


def _state(locations: Locations, name: str, bundle: Registered) -> str:
    """Return the reason why the bundle cannot be used, or an empty text."""
    try:
        load_bundle(locations, name, bundle)
    except PlacetError as error:
        return str(error)
    return ""


def _say_facts(candidate: steps.Candidate) -> None:
    bundle, record = candidate.bundle, candidate.registered
    version = f" {spelled_out(bundle.version)}" if bundle.version else ""
    say(f"{spelled_out(bundle.name)}{version}{f': {spelled_out(bundle.description)}' if bundle.description else ''}")
    say(f"  from {_origin(record)}")
    say(f"  {counted(len(candidate.files), 'file')}, digest {record.digest}")


def _origin(bundle: Registered) -> str:
    commit = f" at commit {bundle.commit}" if bundle.commit else ""
    return f"{spelled_out(bundle.source)}{f', {spelled_out(bundle.path)}' if bundle.path else ''}{commit}"


def _refuse_other_digest(candidate: steps.Candidate, digest: str) -> None:
    if digest and candidate.registered.digest != digest.lower():
        raise BundleError(f"The files have the digest {candidate.registered.digest}, not {spelled_out(digest)}.")


def _agreed(options: argparse.Namespace, question: str) -> bool:
    """Return whether the user agrees: by `--yes`, else by an answer at a terminal."""
    return options.yes or agrees(
        question, otherwise="Nothing has changed", how="`--yes` with a full commit or `--digest` agrees."
    )
