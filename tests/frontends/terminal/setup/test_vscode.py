"""`placet setup vscode`: the extension that comes with Placet is installed by the editor's own command."""

import json
import os
from pathlib import Path

import pytest

from placet.__main__ import main
from placet.frontends.terminal.setup import vscode

pytestmark = pytest.mark.skipif(os.name == "nt", reason="programs are made as shell scripts")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with a `placet` alone, and an extension that comes with it."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "placet.vsix").write_bytes(b"PK")
    monkeypatch.setattr(vscode, "vscode_extension", lambda: tmp_path / "placet.vsix")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path))
    program(tmp_path / "bin" / "placet", "true")
    return tmp_path / "bin"


def program(file: Path, does: str) -> Path:
    file.write_text(f"#!/bin/sh\n{does}\n")
    file.chmod(0o755)
    return file


def test_the_first_editor_installs_it_and_the_others_are_named(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "called"
    program(path / "code", f'[ "$1" = --version ] && echo 1.139 || echo "$@" > {log}')
    cursor = program(path / "cursor", "exit 3")

    assert main(["setup", "vscode"]) == 0

    assert log.read_text() == f"--install-extension {tmp_path / 'placet.vsix'} --force\n"
    told = capsys.readouterr().out
    assert f"$ {path / 'code'} --install-extension" in told
    assert f"  {cursor} --install-extension" in told


def test_a_failed_installation_is_told_with_the_words_of_the_editor(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program(path / "code", '[ "$1" = --version ] && echo 1.139 || { echo "Signature is wrong" >&2; exit 5; }')

    assert main(["setup", "vscode"]) == 1

    told = capsys.readouterr()
    assert "Signature is wrong" in told.out
    assert "exit code 5" in told.err


def test_without_an_editor_the_way_by_hand_is_told(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["setup", "vscode"]) == 1
    assert f"Install from VSIX...` on {tmp_path / 'placet.vsix'}" in capsys.readouterr().err


def test_without_an_extension_nothing_is_run(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(vscode, "vscode_extension", lambda: None)
    program(path / "code", f'[ "$1" = --version ] && echo 1.139 || touch {tmp_path / "called"}')

    assert main(["setup", "vscode"]) == 1

    assert not (tmp_path / "called").exists()
    assert "lacks the VS Code extension" in capsys.readouterr().err


def test_json_installs_nothing_and_gives_the_commands(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = program(path / "code", f'[ "$1" = --version ] && echo 1.139 || touch {tmp_path / "called"}')

    assert main(["setup", "vscode", "--json"]) == 0

    assert not (tmp_path / "called").exists()
    state = json.loads(capsys.readouterr().out)
    assert state["commands"] == [[str(code), "--install-extension", str(tmp_path / "placet.vsix"), "--force"]]


def test_a_daemon_off_the_path_gets_the_setting(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program(path / "code", "echo 1.139")
    (path / "placet").unlink()

    assert main(["setup", "vscode"]) == 0

    assert '"placet.command"' in capsys.readouterr().out


@pytest.mark.parametrize(("listed", "state"), [("Placet.placet", "set up"), ("placet.other", "not set up")])
def test_the_list_of_editors_asks_the_editor_for_its_extensions(
    path: Path, capsys: pytest.CaptureFixture[str], listed: str, state: str
) -> None:
    program(path / "code", f'[ "$1" = --list-extensions ] && echo "ms.python\n{listed}" || echo 1.139')

    assert main(["setup"]) == 0

    assert capsys.readouterr().out.splitlines()[0].split() == ["vscode", *state.split(), str(path / "code")]


def test_the_id_of_the_extension_is_the_id_in_its_manifest() -> None:
    manifest = json.loads((Path(__file__).parents[4] / "clients/vscode/package.json").read_text("utf-8"))
    assert f"{manifest['publisher']}.{manifest['name']}".lower() == vscode.EXTENSION
