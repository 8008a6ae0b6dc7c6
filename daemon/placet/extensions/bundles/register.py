"""Register of the bundles that the user has added: a file that all daemons of the user share. All calls block."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from placet.extensions.bundles.files import BundleError
from placet.project.files.private_file import PrivateFile

ABOUT = "Bundles that you added: `placet plugin`. Placet uses a bundle only while its files have this digest."
_MEND = "Correct or remove the file; until then no bundle is used."


class Registered(Struct, frozen=True, omit_defaults=True):
    """Bundle as the user added the bundle."""

    source: str
    """Directory, or address of a git repository."""
    digest: str
    """SHA-256 of the files that the user was shown, hexadecimal."""
    commit: str = ""
    """Commit of the git repository; empty for a directory."""
    ref: str = ""
    """Branch or tag that an update looks at; empty for the repository's default branch."""
    path: str = ""
    """Directory of the bundle below the source; empty for the top."""
    plugin: str = ""
    """Name by which the source's marketplace lists the bundle; empty without a marketplace."""
    version: str = ""
    is_enabled: bool = True

    @property
    def is_git(self) -> bool:
        return bool(self.commit)


class _Register(Struct):
    bundles: dict[str, Registered]
    about: str = ABOUT


class Register:
    def __init__(self, path: Path) -> None:
        self._file = PrivateFile(path)

    def bundles(self) -> Mapping[str, Registered]:
        """Return the bundles by name. Raises BundleError for an unreadable file."""
        try:
            text = self._file.read()
            return {} if text is None else msgspec.json.decode(text, type=_Register).bundles
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            raise BundleError(f"{self._file.path} cannot be read: {error}. {_MEND}") from error

    def put(self, name: str, bundle: Registered | None) -> None:
        """Add or replace the bundle; None removes the bundle. Raises BundleError."""
        try:
            with self._file.locked():
                bundles = {other: known for other, known in self.bundles().items() if other != name}
                if bundle is not None:
                    bundles[name] = bundle
                plain: Any = msgspec.to_builtins(_Register(dict(sorted(bundles.items()))))
                self._file.write(json.dumps(plain, indent=2, ensure_ascii=False) + "\n")
        except OSError as error:
            raise BundleError(f"{self._file.path} cannot be written: {error.strerror or error}.") from error
