"""`placet setup neovim`: the lines for each way to load plugins, read by the real Neovim, and how they are written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from placet.__main__ import main
from placet.frontends.terminal.setup.neovim_config import config_directory, lines, look_at, with_lines
from placet.frontends.terminal.shipped import neovim_plugin
from time_support import wait_seconds

NVIM = Path(sys.executable).with_name("nvim")
LAZY = "require('lazy').setup({ { import = 'plugins' } })\n"


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Neovim's configuration directory of a user whose home is new; a `placet` is on PATH."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "placet"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for name in ("XDG_CONFIG_HOME", "NVIM_APPNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "AppData" / "Local"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return config_directory(os.environ, tmp_path)


def started(config: Path, expression: str) -> str:
    """Start the real Neovim with the configuration; return the value of the expression."""
    done = subprocess.run(
        [str(NVIM), "--headless", "-i", "NONE", "-n", f"+lua io.stdout:write(tostring({expression}))", "+qa!"],
        env={"HOME": os.environ["HOME"], "PATH": os.defpath},
        capture_output=True,
        text=True,
        timeout=wait_seconds(),
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("name", ["init.lua", "init.vim"])
def test_written_lines_give_a_new_neovim_the_command(
    name: str, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    init = config / name
    config.mkdir(parents=True)
    mine = "vim.g.mine = 1\n" if name.endswith(".lua") else "let g:mine = 1\n"
    init.write_text(mine)

    assert main(["setup", "neovim", "--write"]) == 0

    assert init.read_text().startswith(mine)
    assert started(config, "vim.fn.exists(':Placet') == 2 and vim.g.mine == 1") == "true"
    told = capsys.readouterr().out
    assert f"Adding these lines to {init}:" in told
    assert str(neovim_plugin()) in told


def test_without_a_configuration_a_new_one_is_made(config: Path) -> None:
    assert main(["setup", "neovim", "--write"]) == 0
    assert started(config, "vim.fn.exists(':Placet')") == "2"


def test_nothing_is_written_unless_asked_for(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["setup", "neovim"]) == 0
    assert not config.exists()
    assert "`placet setup neovim --write` does so for you." in capsys.readouterr().out


def test_a_second_time_changes_nothing_and_says_so(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["setup", "neovim", "--write"])
    before = (config / "init.lua").read_bytes()
    capsys.readouterr()

    assert main(["setup", "neovim", "--write"]) == 0

    assert (config / "init.lua").read_bytes() == before
    assert f"Already set up: {config / 'init.lua'} holds these lines:" in capsys.readouterr().out


def test_lines_of_an_earlier_place_are_replaced_and_the_rest_stays(config: Path) -> None:
    config.mkdir(parents=True)
    old = lines(look_at(config), Path("/gone/placet"), None)
    (config / "init.lua").write_text(f"-- above\n{old}-- below\n")

    assert main(["setup", "neovim", "--write"]) == 0

    text = (config / "init.lua").read_text()
    assert text == f"-- above\n{lines(look_at(config), neovim_plugin() or Path(), None)}-- below\n"
    assert "/gone" not in text


def test_line_ends_byte_order_mark_and_link_of_a_configuration_stay(config: Path, tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    (dotfiles / "init.lua").write_bytes(b"\xef\xbb\xbfvim.g.mine = 1\r\n")
    config.mkdir(parents=True)
    (config / "init.lua").symlink_to(dotfiles / "init.lua")

    assert main(["setup", "neovim", "--write"]) == 0

    written = (dotfiles / "init.lua").read_bytes()
    assert (config / "init.lua").is_symlink()
    assert written.startswith(b"\xef\xbb\xbfvim.g.mine = 1\r\n")
    assert written.count(b"\n") == written.count(b"\r\n")


def test_lazy_nvim_gets_a_file_of_its_own_in_the_folder_of_plugins(config: Path) -> None:
    config.mkdir(parents=True)
    (config / "init.lua").write_text(LAZY)

    assert main(["setup", "neovim", "--write"]) == 0

    file = config / "lua" / "plugins" / "placet.lua"
    entry = f"(function() local entry = dofile('{file}') return entry.dir .. ' ' .. entry.name end)()"
    (config / "init.lua").unlink()
    assert started(config, entry) == f"{neovim_plugin()} placet"


def test_a_list_of_plugins_inside_of_a_file_is_left_to_its_owner(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config.mkdir(parents=True)
    (config / "init.lua").write_text("require('lazy').setup({ { 'a/b' } })\n")
    before = (config / "init.lua").read_bytes()

    assert main(["setup", "neovim", "--write"]) == 1

    told = capsys.readouterr()
    assert f"{{ dir = '{neovim_plugin()}', name = 'placet', lazy = false }}," in told.out
    assert "add the entry by hand" in told.err
    assert (config / "init.lua").read_bytes() == before


@pytest.mark.parametrize(("text", "manager"), [("vim.pack.add({})\n", "vim.pack"), ("MiniDeps.add({})\n", "mini.deps")])
def test_managers_of_git_repositories_keep_the_line_of_the_path(text: str, manager: str, config: Path) -> None:
    config.mkdir(parents=True)
    (config / "init.lua").write_text(text)
    state = look_at(config)
    assert (state.manager, state.place) == (manager, config / "init.lua")
    assert "vim.opt.runtimepath:append" in lines(state, Path("/a"), None)


def test_a_directory_with_odd_characters_is_one_lua_string(config: Path) -> None:
    config.mkdir(parents=True)
    (config / "init.lua").write_text("")
    odd = "/it's a place"
    (config / "init.lua").write_text(lines(look_at(config), Path(odd), "/bin/pla'cet"))
    seen = started(config, f"vim.g.placet.cmd[1] .. tostring(vim.list_contains(vim.opt.runtimepath:get(), [[{odd}]]))")
    assert seen == "/bin/pla'cettrue"


def test_a_program_off_the_path_is_named_in_the_lines(
    config: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert main(["setup", "neovim", "--json"]) == 0
    state = json.loads(capsys.readouterr().out)
    program = Path(sys.executable).with_name("placet.exe" if os.name == "nt" else "placet")
    assert str(program) in state["snippet"]


def test_a_configuration_that_cannot_be_written_is_said(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (config / "init.lua").mkdir(parents=True)
    assert main(["setup", "neovim", "--write"]) == 1
    assert "is a directory" in capsys.readouterr().err


def test_lines_are_appended_on_a_line_of_their_own() -> None:
    assert with_lines("a", "-- b\n") == "a\n\n-- b\n"
    assert with_lines("", "-- b\n") == "-- b\n"


def test_write_is_refused_for_editors_without_it(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["setup", "helix", "--write"]) == 2
    assert "`--write` is for neovim" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="the program is made as a shell script")
@pytest.mark.parametrize("init", ["", LAZY, "require('lazy').setup({ 'some/plugin' })\n"])
def test_the_list_of_editors_finds_the_lines_where_they_were_written(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], init: str
) -> None:
    nvim = tmp_path / "bin" / "nvim"
    nvim.write_text("#!/bin/sh\necho NVIM v0.11.4\n")
    nvim.chmod(0o755)
    config.mkdir(parents=True)
    (config / "init.lua").write_text(init)

    def state() -> str:
        assert main(["setup"]) == 0
        (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("neovim")]
        return " ".join(line.split()[1:-1])

    plugin = neovim_plugin()
    assert plugin is not None
    entry = lines(look_at(config), plugin, None)
    (config / "init.lua").write_text("".join(f"-- {line}\n" for line in entry.splitlines()))
    assert state() == "not set up"
    file = config / ("lua/plugins/placet.lua" if init == LAZY else "lua/mine/list.lua" if init else "init.lua")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(entry)
    assert state() == "set up"
