"""What a package index and an installed package get: the long description, the Neovim plugin and its manual's tags."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from zipfile import ZipFile

import pytest

from neovim_support.editor import Editor, open_editor

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
TARGET = re.compile(r"\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"")


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_hooks", ROOT / "packaging" / "hatch_hooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    dist = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(dist)]
    variables = {name: value for name, value in os.environ.items() if name != "PLACET_REPOSITORY_URL"}
    subprocess.run(command, cwd=ROOT, env=variables, check=True, capture_output=True)
    [built] = dist.iterdir()
    return built


def targets(text: str) -> list[str]:
    return [first or second for first, second in TARGET.findall(text)]


def test_without_an_address_the_long_description_points_at_no_file(hooks: ModuleType) -> None:
    text = hooks.index_description(README, None, "1.2.3")

    assert any(not target.startswith("http") for target in targets(README)), "the README itself has such links"
    assert [target for target in targets(text) if not target.startswith("https://")] == []
    assert "![" not in text
    assert "docs/PERMISSIONS.md" in text, "the words of a link stay"


def test_with_an_address_links_and_images_lead_to_the_tag_of_the_release(hooks: ModuleType) -> None:
    text = hooks.index_description(README, "https://code.example/placet", "1.2.3")

    assert [target for target in targets(text) if not target.startswith("https://")] == []
    assert "](https://code.example/placet/blob/v1.2.3/docs/PERMISSIONS.md)" in text
    assert '<img src="https://code.example/placet/raw/v1.2.3/docs/images/vscode-change-set-list.png" width' in text
    assert len(targets(text)) == len(targets(README))


def test_a_wheel_brings_the_plugin_the_documents_and_no_tests(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())

    plugin = ROOT / "clients" / "neovim"
    lua = {f"placet/shipped/neovim/{path.relative_to(plugin).as_posix()}" for path in (plugin / "lua").rglob("*.lua")}
    assert lua <= names
    assert {"placet/shipped/neovim/plugin/placet.lua", "placet/shipped/neovim/lsp/placet.lua"} <= names
    assert {f"placet/shipped/docs/{page.name}" for page in (ROOT / "docs").glob("*.md")} <= names
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"placet"}
    assert not [name for name in names if "spec/" in name or "node_modules" in name or name.endswith(".pyc")]
    extension = ROOT / "clients" / "vscode" / "dist" / "placet.vsix"
    assert ("placet/shipped/placet.vsix" in names) == extension.is_file()


def test_the_tags_of_the_manual_are_those_that_neovim_makes(wheel: Path, tmp_path: Path) -> None:
    with ZipFile(wheel) as archive:
        shipped = archive.read("placet/shipped/neovim/doc/tags").decode()
    (tmp_path / "placet.txt").write_bytes((ROOT / "clients" / "neovim" / "doc" / "placet.txt").read_bytes())

    with open_editor(tmp_path) as editor:
        editor.command(f"helptags {tmp_path}")

    assert shipped == (tmp_path / "tags").read_text("utf-8")


def test_the_plugin_of_an_environment_finds_the_daemon_of_this_environment(wheel: Path, tmp_path: Path) -> None:
    packages = tmp_path / "environment" / ("Lib" if os.name == "nt" else "lib/python3.11") / "site-packages"
    with ZipFile(wheel) as archive:
        archive.extractall(packages)
    program = tmp_path / "environment" / ("Scripts/placet.exe" if os.name == "nt" else "bin/placet")
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)

    with open_editor(tmp_path) as editor:
        use_plugin(editor, packages / "placet" / "shipped" / "neovim")
        launcher = editor.lua("return (require('placet.daemon.discovery').find('/'))")

    assert launcher["command"] == [program.as_posix(), "--stdio"]
    assert launcher["how"] == "in the package of this plugin"


def use_plugin(editor: Editor, plugin: Path) -> None:
    """Put the plugin in the place of the checkout's, of which Neovim has kept the compiled modules."""
    editor.lua("vim.loader.enable(false)")
    editor.lua("for name in pairs(package.loaded) do if name:find('^placet') then package.loaded[name] = nil end end")
    editor.lua("vim.opt.runtimepath = { ..., vim.env.VIMRUNTIME }", str(plugin))
    editor.command("runtime lsp/placet.lua")
