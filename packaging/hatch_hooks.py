"""Hooks of the build: the long description for a package index, and the files that a wheel brings beside the daemon.

A build reads `PLACET_REPOSITORY_URL`, the address of the repository that publishes the release. With the address, the
long description's links and images lead there, to the release's own tag; without it, links are plain text and images
are left out, because an index page has no files beside it.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

REPOSITORY_VARIABLE = "PLACET_REPOSITORY_URL"
NEOVIM_PARTS = ("doc", "lsp", "lua", "plugin", "syntax", "README.md")
VSCODE_EXTENSION = "clients/vscode/dist/placet.vsix"

_MARKDOWN_IMAGE = re.compile(r"!\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
_HTML_IMAGE = re.compile(r'<img src="(?P<target>[^"]+)"(?P<rest>[^>]*)>')
_LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]+)\]\((?P<target>[^)\s]+)\)")
_ESCAPED = str.maketrans({"\\": "\\\\", "/": "\\/"})


class LongDescription(MetadataHookInterface):
    """Fills `project.readme` and `project.urls`."""

    def update(self, metadata: dict[str, Any]) -> None:
        repository = os.environ.get(REPOSITORY_VARIABLE, "").rstrip("/") or None
        readme = (Path(self.root) / "README.md").read_text("utf-8")
        text = index_description(readme, repository, metadata["version"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        if repository is not None:
            metadata["urls"] = {
                "Repository": repository,
                "Documentation": f"{repository}/blob/v{metadata['version']}/docs/README.md",
                "Changelog": f"{repository}/blob/v{metadata['version']}/CHANGELOG.md",
                "Issues": f"{repository}/issues",
            }


class ShippedFiles(BuildHookInterface[Any]):
    """Adds the Neovim plugin, the documents and, where it was built, the VS Code extension to a wheel.

    `placet.frontends.terminal.shipped` finds the files again. A wheel for an editable installation gets none: there the
    checkout holds the files.
    """

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self._tags.unlink(missing_ok=True)

    @property
    def _tags(self) -> Path:
        return Path(self.directory) / "placet-help-tags"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        root, is_wheel = Path(self.root), self.target_name == "wheel"
        included: dict[str, str] = build_data["force_include"]
        if is_wheel:
            plugin = root / "clients" / "neovim"
            included |= {str(plugin / part): f"placet/shipped/neovim/{part}" for part in NEOVIM_PARTS}
            self._tags.parent.mkdir(parents=True, exist_ok=True)
            self._tags.write_text(help_tags("placet.txt", (plugin / "doc" / "placet.txt").read_text("utf-8")), "utf-8")
            included[str(self._tags)] = "placet/shipped/neovim/doc/tags"
            included |= {str(page): f"placet/shipped/docs/{page.name}" for page in (root / "docs").glob("*.md")}
        if (extension := root / VSCODE_EXTENSION).is_file():
            included[str(extension)] = "placet/shipped/placet.vsix" if is_wheel else VSCODE_EXTENSION


def index_description(readme: str, repository: str | None, version: str) -> str:
    """Return the README as a package index can show the text: without links to files that stand beside it."""
    if repository is None:
        text = _LINK.sub(lambda link: link.group() if _is_absolute(link) else link["text"], readme)
        for image in (_MARKDOWN_IMAGE, _HTML_IMAGE):
            text = image.sub(lambda found: found.group() if _is_absolute(found) else "", text)
        return re.sub(r"\n[ \t]*(?:\n[ \t]*)+\n", "\n\n", text)
    page, raw = f"{repository}/blob/v{version}/", f"{repository}/raw/v{version}/"
    text = _MARKDOWN_IMAGE.sub(lambda image: f"![{image['text']}]({_absolute(image, raw)})", readme)
    text = _HTML_IMAGE.sub(lambda image: f'<img src="{_absolute(image, raw)}"{image["rest"]}>', text)
    return _LINK.sub(lambda link: f"[{link['text']}]({_absolute(link, page)})", text)


def help_tags(name: str, manual: str) -> str:
    """Return the file `tags` of a Neovim manual, as `:helptags` writes the file: no plugin manager makes it here."""
    tags = sorted(set(re.findall(r"(?:^|(?<=\s))\*([^*\s|]+)\*(?=\s|$)", manual)))
    return "".join(f"{tag}\t{name}\t/*{tag.translate(_ESCAPED)}*\n" for tag in tags)


def _is_absolute(found: re.Match[str]) -> bool:
    return found["target"].startswith(("https://", "http://", "#"))


def _absolute(found: re.Match[str], base: str) -> str:
    return found["target"] if _is_absolute(found) else base + found["target"]
