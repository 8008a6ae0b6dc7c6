"""Files that come with Placet beside the daemon: the Neovim plugin, the VS Code extension and the documents.

The folder `shipped` of an installed package holds the files (packaging/hatch_hooks.py). A checkout has the originals.
"""

from pathlib import Path

import placet

_PACKAGE = Path(placet.__file__).parent
_INSTALLED = _PACKAGE / "shipped"
_CHECKOUT = _PACKAGE.parent.parent


def neovim_plugin() -> Path | None:
    """Return the directory of the Neovim plugin, for Neovim's runtime path, or None."""
    places = (_INSTALLED / "neovim", _CHECKOUT / "clients" / "neovim")
    return next((place for place in places if (place / "plugin" / "placet.lua").is_file()), None)


def is_installed(file: Path) -> bool:
    """Return True for a file of the installed package, False for a file of a checkout."""
    return file.is_relative_to(_INSTALLED)


def vscode_extension() -> Path | None:
    """Return the packaged VS Code extension, or None; in a checkout `make vscode` makes the file."""
    places = (_INSTALLED / "placet.vsix", _CHECKOUT / "clients" / "vscode" / "dist" / "placet.vsix")
    return next((place for place in places if place.is_file()), None)


def documents() -> dict[str, Path]:
    """Return the pages of the documentation by their names in lower case, for example `sandbox`."""
    for place in (_INSTALLED / "docs", _CHECKOUT / "docs"):
        if (place / "README.md").is_file():
            return {page.stem.lower(): page for page in sorted(place.glob("*.md"))}
    return {}
