"""Neovim's configuration: the lines that load Placet's plugin, and the file for these lines. Pure but for `look_at`.

Neovim puts every directory of `runtimepath` on the search path of plugins (`:help runtimepath`). lazy.nvim replaces the
path and must be told the directory as a plugin: https://lazy.folke.io/spec, field `dir`. vim.pack and mini.deps fetch
git repositories alone and leave the path as it is, so that the line of the path serves there too.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Manager = Literal["lazy.nvim", "vim.pack", "mini.deps"]

BEGIN = "Placet (placet setup neovim)"
END = "end of Placet"
_BLOCK = re.compile(rf'[ \t]*(?:--|") {re.escape(BEGIN)}\n.*?(?:--|") {re.escape(END)}\n', re.DOTALL)
_MANAGERS: Mapping[Manager, re.Pattern[str]] = {
    "lazy.nvim": re.compile(r"require\(?\s*['\"]lazy['\"]|folke/lazy\.nvim"),
    "vim.pack": re.compile(r"\bvim\.pack\.add\b"),
    "mini.deps": re.compile(r"require\(?\s*['\"]mini\.deps['\"]|\bMiniDeps\b"),
}
_IMPORTS_PLUGINS = re.compile(
    r"import\s*=\s*['\"]plugins['\"]|require\(?\s*['\"]lazy['\"]\s*\)?\.setup\(\s*['\"]plugins['\"]"
)
MAX_FILES = 500
"""Number of Lua files that are searched for a plugin manager."""
MAX_BYTES = 1 << 20
"""Size of the largest file that is searched, in bytes."""


@dataclass(frozen=True, slots=True)
class NeovimConfig:
    """State of the user's Neovim configuration."""

    directory: Path
    init: Path
    """The file that Neovim runs at the start: `init.lua`, or an existing `init.vim`."""
    manager: Manager | None
    imports_plugins: bool
    """True if lazy.nvim reads every file of `lua/plugins`."""

    @property
    def place(self) -> Path | None:
        """File for the lines, or None if the user must choose the place inside of a list of plugins."""
        if self.manager != "lazy.nvim":
            return self.init
        return self.directory / "lua" / "plugins" / "placet.lua" if self.imports_plugins else None


def config_directory(environment: Mapping[str, str], home: Path) -> Path:
    """Return Neovim's configuration directory (`:help base-directories`)."""
    if base := environment.get("XDG_CONFIG_HOME"):
        parent = Path(base)
    elif os.name == "nt":
        parent = Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
    else:
        parent = home / ".config"
    return parent / (environment.get("NVIM_APPNAME") or "nvim")


def look_at(directory: Path) -> NeovimConfig:
    """Return the state of the configuration; reads the Lua files of the directory, within bounds. Blocks."""
    init = directory / "init.lua"
    if not init.exists() and (directory / "init.vim").exists():
        init = directory / "init.vim"
    texts = list(_texts(directory))
    managers: list[Manager] = [name for name, uses in _MANAGERS.items() if any(map(uses.search, texts))]
    manager = managers[0] if managers else None
    return NeovimConfig(directory, init, manager, any(map(_IMPORTS_PLUGINS.search, texts)))


def names_plugin(directory: Path, names: Iterable[str]) -> bool:
    """Return whether a line of the configuration that is no comment holds one of the names of the plugin. Blocks."""
    written = [name for plain in names for name in (plain, _lua_string(plain)[1:-1])]
    lines_of_all = (line.strip() for text in _texts(directory) for line in text.splitlines())
    return any(name in line for line in lines_of_all if not line.startswith(("--", '"')) for name in written)


def lines(config: NeovimConfig, plugin: Path, command: str | None) -> str:
    """Return the lines for the configuration; `command` is the daemon's program, or None for the one on PATH."""
    directory = _lua_string(str(plugin))
    program = None if command is None else f"vim.g.placet = {{ cmd = {{ {_lua_string(command)}, '--stdio' }} }}"
    if config.manager == "lazy.nvim":
        init = "" if program is None else f", init = function() {program} end"
        entry = f"{{ dir = {directory}, name = 'placet', lazy = false{init} }}"
        return f"return {entry}\n" if config.imports_plugins else f"{entry},\n"
    body = [*([program] if program else []), f"vim.opt.runtimepath:append({directory})"]
    if config.init.suffix == ".vim":
        return "".join(f"{line}\n" for line in [f'" {BEGIN}', *(f"lua {line}" for line in body), f'" {END}'])
    return "".join(f"{line}\n" for line in [f"-- {BEGIN}", *body, f"-- {END}"])


def with_lines(text: str, added: str) -> str:
    """Return a configuration's text with the lines: in the place of earlier lines of the same setup, else at the end.

    The text has line ends of `\\n`.
    """
    if _BLOCK.search(text):
        return _BLOCK.sub(lambda _: added, text, count=1)
    return text + ("" if not text or text.endswith("\n") else "\n") + ("\n" if text else "") + added


def _lua_string(text: str) -> str:
    """Return the text as a Lua string that Neovim also reads behind Vim script's `:lua`."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"


def _texts(directory: Path) -> Iterator[str]:
    files = [directory / "init.lua", directory / "init.vim"]
    for folder in ("lua", "plugin"):
        for place, folders, names in os.walk(directory / folder):
            folders.sort()
            files += [Path(place) / name for name in sorted(names) if name.endswith(".lua")]
            if len(files) > MAX_FILES:
                break
    for file in files[:MAX_FILES]:
        try:
            if file.is_file() and file.stat().st_size <= MAX_BYTES:
                yield file.read_text("utf-8", errors="replace")
        except OSError:
            continue
