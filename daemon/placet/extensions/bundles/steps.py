"""Steps of the user with bundles: look at a bundle, add, update and remove a bundle. All calls block."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any, cast

from msgspec import Struct

from placet.core.spelling import nearest
from placet.core.values import replace
from placet.core.visible_text import spelled_out
from placet.extensions.bundles.copies import copy_of, forget_copies, write_copy
from placet.extensions.bundles.fetch import Source, fetch
from placet.extensions.bundles.files import BundleError, Files, below, digest_of, read_directory
from placet.extensions.bundles.manifest import Bundle, Listing, inner_path, read_bundle, read_marketplace, with_manifest
from placet.extensions.bundles.register import Register, Registered
from placet.settings import Locations


class Candidate(Struct, frozen=True):
    """Bundle as fetched, not added yet."""

    bundle: Bundle
    files: Files
    registered: Registered


def look_at(source: Source, *, path: str = "", plugin: str = "", name: str = "") -> Candidate:
    """Fetch the bundle. Raises BundleError; nothing is changed.

    `path` is the directory of the bundle below the source, `plugin` the bundle's name in the source's marketplace, and
    `name` the name of a bundle whose manifest has no name.
    """
    fetched = fetch(source)
    inner = inner_path(path, "`--path`") if path else ""
    files = below(fetched.files, inner)
    if not files:
        raise BundleError(f"{spelled_out(source.place)} has no files in {spelled_out(path or '.')}.")
    if plugin or read_marketplace(files):
        files, plugin = _listed(files, plugin, source)
    fallback = name or _name_from(plugin or inner or source.place)
    bundle = read_bundle(files, fallback=fallback)
    ref = "" if source.is_pinned else source.ref
    record = Registered(source.place, digest_of(files), fetched.commit, ref, inner, plugin, bundle.version)
    return Candidate(bundle, files, record)


def add(locations: Locations, candidate: Candidate) -> None:
    """Store the bundle, and use the bundle from now on. Raises BundleError."""
    name = candidate.bundle.name
    write_copy(locations.bundles, name, candidate.files)
    (locations.bundle_data / name).mkdir(parents=True, exist_ok=True, mode=0o700)
    Register(locations.bundle_register).put(name, candidate.registered)
    forget_copies(locations.bundles, name, but=candidate.registered.digest)


def refuse_taken(locations: Locations, name: str) -> None:
    """Raise BundleError if another bundle has the name, or a name that some systems take for the same."""
    known = {other.casefold(): other for other in Register(locations.bundle_register).bundles()}
    if (taken := known.get(name.casefold())) is not None:
        raise BundleError(
            f"You have a bundle {taken} already: `placet plugin update {taken}` looks for a newer state, "
            f"`placet plugin remove {taken}` makes room."
        )


def registered(locations: Locations, name: str) -> Registered:
    """Return the bundle's record. Raises BundleError for an unknown name."""
    bundles = Register(locations.bundle_register).bundles()
    if (bundle := bundles.get(name)) is None:
        near = nearest(name, bundles)
        hint = f" Did you mean {near}?" if near else " `placet plugin list` lists your bundles."
        raise BundleError(f"You have no bundle {spelled_out(name)}.{hint}")
    return bundle


def newer(locations: Locations, name: str, ref: str) -> Candidate:
    """Fetch the bundle again, from `ref` if given. Raises BundleError; nothing is changed."""
    known = registered(locations, name)
    source = Source(known.source, ref or known.ref, known.is_git)
    candidate = look_at(source, path=known.path, plugin=known.plugin, name=name)
    if candidate.bundle.name != name:
        raise BundleError(f"The bundle calls itself {candidate.bundle.name} now; remove {name}, and add the other.")
    return replace(candidate, registered=replace(candidate.registered, is_enabled=known.is_enabled))


def stored_files(locations: Locations, name: str) -> Files:
    """Return the files of the copy as they are on the disk; nothing without a copy. Raises BundleError."""
    copy = copy_of(locations.bundles, name, registered(locations, name).digest)
    return read_directory(copy) if copy.is_dir() else {}


def switch(locations: Locations, name: str, *, is_on: bool) -> None:
    """Use the bundle, or leave the bundle out. Raises BundleError."""
    known = registered(locations, name)
    Register(locations.bundle_register).put(name, replace(known, is_enabled=is_on))


def remove(locations: Locations, name: str) -> Path | None:
    """Forget the bundle and its copies. Return the directory with the files that its programs keep, if it has any.

    Raises BundleError.
    """
    registered(locations, name)
    Register(locations.bundle_register).put(name, None)
    forget_copies(locations.bundles, name)
    data = locations.bundle_data / name
    with suppress(OSError):
        data.rmdir()
    return data if data.is_dir() else None


def _listed(files: Files, plugin: str, source: Source) -> tuple[Files, str]:
    """Return the files of the bundle in a marketplace, and the bundle's name there. Raises BundleError."""
    listings = read_marketplace(files)
    if not plugin and _is_bundle_itself(files, listings):
        return files, ""
    names = ", ".join(spelled_out(listing.name) for listing in listings) or "none"
    if not plugin and len(listings) != 1:
        raise BundleError(f"This is a marketplace of several bundles: choose one by `--plugin NAME`. Bundles: {names}.")
    listing = next((listing for listing in listings if plugin in ("", listing.name)), None)
    if listing is None:
        raise BundleError(f"The marketplace lists no bundle {spelled_out(plugin)}. Bundles: {names}.")
    if listing.directory is None:
        raise BundleError(f"The bundle {spelled_out(listing.name)} lies elsewhere: {_elsewhere(listing.source)}")
    inner = with_manifest(below(files, listing.directory), listing)
    return inner, listing.name


def _is_bundle_itself(files: Files, listings: tuple[Listing, ...]) -> bool:
    """Return whether the top of a marketplace is the only bundle of the marketplace."""
    return len(listings) == 1 and listings[0].directory == "." and with_manifest(files, listings[0]) is files


def _elsewhere(source: Any) -> str:
    """Return the command for a bundle that a marketplace names at another place."""
    entry = cast("Mapping[str, Any]", source) if isinstance(source, Mapping) else {}
    repository, address, path = entry.get("repo"), entry.get("url"), entry.get("path")
    if entry.get("source") == "github" and isinstance(repository, str):
        address = f"https://github.com/{repository}"
    if not isinstance(address, str):
        return f"Placet fetches no bundles from {spelled_out(str(entry.get('source', source)))}."
    at = entry.get("sha") or entry.get("ref")
    inner = f" --path {spelled_out(str(path))}" if path else ""
    return f"`placet plugin add {spelled_out(address)}{f'@{spelled_out(str(at))}' if at else ''}{inner}`"


def _name_from(place: str) -> str:
    return PurePosixPath(place.replace("\\", "/").rstrip("/").rpartition(":")[2]).name.removesuffix(".git")
