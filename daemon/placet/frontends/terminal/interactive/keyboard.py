"""Keyboard of the interactive session."""

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from prompt_toolkit.key_binding import KeyPress
from prompt_toolkit.keys import Keys

if TYPE_CHECKING:
    from typing import TextIO

    from prompt_toolkit.input.base import DummyInput

    class SystemInput(DummyInput):
        """Shape of the inputs of all systems, of which a type checker reads one module alone."""

        def __init__(self, stdin: TextIO) -> None: ...

elif sys.platform == "win32":
    from prompt_toolkit.input.win32 import Win32Input as SystemInput
else:
    from prompt_toolkit.input.vt100 import Vt100Input as SystemInput


class Keyboard(SystemInput):
    """Keyboard that stays in raw mode while output is printed above the prompt line.

    prompt_toolkit switches the terminal to cooked mode for every output. A key of that moment would change its
    meaning: the terminal would turn Enter into Ctrl-J, Ctrl-D into an end of input, and would swallow Ctrl-C.
    """

    def cooked_mode(self) -> AbstractContextManager[None]:
        return nullcontext()

    def typed_before(self) -> list[KeyPress]:
        """Return the keys typed before raw mode began, of which the terminal has made Enter a Ctrl-J."""
        keys: list[KeyPress] = []
        while read := self.read_keys():
            keys += read
        return [KeyPress(Keys.ControlM) if press.key is Keys.ControlJ else press for press in keys]

    def lent(self) -> AbstractContextManager[None]:
        """Return a context in which a program of the user has the keyboard, in cooked mode."""
        return super().cooked_mode()
