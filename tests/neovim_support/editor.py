"""A real Neovim with the plugin, driven by its own API: keys in, buffers and screens out."""

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from neovim_support.rpc import Nvim

PLUGIN = Path(__file__).parents[2] / "clients" / "neovim"
WAIT_SECONDS = 60
SLICE_MILLISECONDS = 50


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
        deadline = time.monotonic() + WAIT_SECONDS
        while not self.lua(code, *arguments):
            assert time.monotonic() < deadline, f"never true: {condition}\n{self.messages()}\n{self.notices()}"

    def completes(self, line: str, *names: str) -> None:
        """Wait until the names complete the line: completion does not wait long for a daemon that is busy."""
        self.wait("vim.deep_equal(vim.fn.getcompletion((...), 'cmdline'), { select(2, ...) })", line, *names)

    def text(self) -> str:
        """The current buffer as the wire has it."""
        return self.lua("return require('placet.editor.buffer').text(0)")

    def notices(self) -> list[str]:
        """What vim.notify said."""
        return self.lua("return _G.notices")

    def messages(self) -> str:
        return self.lua("return vim.api.nvim_exec2('messages', { output = true }).output")


@contextmanager
def open_editor(directory: Path) -> Generator[Editor]:
    """A Neovim of its own, started in the directory, with nothing of the user's."""
    executable = Path(sys.executable).with_name("nvim")
    arguments = [str(executable), "--embed", "--headless", "-u", "NONE", "-i", "NONE", "-n"]
    nvim = Nvim(arguments)
    try:
        editor = Editor(nvim)
        editor.command(f"cd {directory}")
        editor.command(f"set runtimepath^={PLUGIN}")
        # Python's file type plugin asks for it, and to find one out takes Neovim a second.
        editor.command("let g:loaded_python3_provider = 0")
        editor.command("filetype plugin on | syntax on | set hidden shortmess+=I")
        editor.command("runtime plugin/placet.lua")
        editor.lua("""
          _G.notices, _G.own_notify = {}, vim.notify
          vim.notify = function(text) table.insert(_G.notices, text) end
        """)
        yield editor
    finally:
        nvim.close()
