"""Find the places for Placet's files: the platform's own, or temporary places if these are not writable."""

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from placet.core.errors import SettingsError
from placet.core.values import replace
from placet.settings.locations import Locations, default_locations


def find_usable(warn: Callable[[str], object]) -> Locations:
    """Return the locations; `warn` is told of a store outside the usual place. Blocks.

    The home directory may be missing, as for a user made up by a container, or may not be writable.
    """
    try:
        locations = default_locations()
    except SettingsError as error:  # Nobody knows where this user's home is.
        directory = _temporary_directory()
        warn(f"{error}; sessions are stored in {directory}")
        return Locations(directory / "config", directory / "data", directory / "cache", directory / "log")
    places = {"data": locations.data, "cache": locations.cache, "log": locations.log}
    unusable = [name for name, place in places.items() if not _is_writable(place)]
    if not unusable:
        return locations
    directory = _temporary_directory()
    if "data" in unusable:
        warning = f"{locations.data} is not writable, so sessions are stored in {directory}; set XDG_DATA_HOME"
        warn(warning)
    return replace(locations, **{name: directory / name for name in unusable})


def _is_writable(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)  # The directory's content is this user's alone.
    except OSError:
        return False
    return os.access(directory, os.W_OK | os.X_OK)


def _temporary_directory() -> Path:
    """Return the same directory for every run of this user, so that `--continue` finds the session.

    Return a fresh directory if the usual directory is not this user's alone.
    """
    if os.name == "nt":
        directory = Path(tempfile.gettempdir()) / "placet"
        directory.mkdir(exist_ok=True)
        return directory
    directory = Path(tempfile.gettempdir()) / f"placet-{os.getuid()}"
    try:
        directory.mkdir(mode=0o700, exist_ok=True)
        status = directory.lstat()
    except OSError:
        return Path(tempfile.mkdtemp(prefix="placet-"))
    is_own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077
    return directory if is_own else Path(tempfile.mkdtemp(prefix="placet-"))
