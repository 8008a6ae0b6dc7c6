"""What Neovim draws: its screen as text and as a picture, through the protocol every UI of it speaks."""

import itertools
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from neovim_support.rpc import Nvim
from time_support import wait_seconds

SENTINEL = "placet_screen_is_drawn"

SVG_FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width;
}}
.{unique_id}-title {{ font-size: 16px; font-family: system-ui, "DejaVu Sans", sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""Rich's own without its web fonts: the picture asks nothing of the network."""


@dataclass
class Screen:
    """A UI attached to Neovim; one grid, colours in 24 bits."""

    nvim: Nvim
    width: int = 100
    height: int = 30
    cells: list[list[tuple[str, int]]] = field(default_factory=list)
    highlights: dict[int, dict[str, Any]] = field(default_factory=dict)
    foreground: int = 0xD0D0D0
    background: int = 0x101010
    cursor: tuple[int, int] = (0, 0)
    rgb: bool = True
    colours: int = 256
    """Of a terminal without 24-bit colours."""

    def __post_init__(self) -> None:
        self._clear()
        options = {"rgb": self.rgb, "ext_linegrid": True, "term_colors": self.colours}
        self.nvim.request("nvim_ui_attach", self.width, self.height, options)

    def draw(self) -> "Screen":
        """Take in all that Neovim has drawn until now."""
        self.nvim.request("nvim_command", "redraw!")
        self.nvim.request("nvim_exec_lua", "vim.rpcnotify(...)", [self.nvim.channel, SENTINEL])
        while (notification := self.nvim.next_notification())[0] != SENTINEL:
            if notification[0] == "redraw":
                self._take(notification[1])
        return self

    def settle(self) -> "Screen":
        """Take in what is drawn until nothing changes: a drawing of the plugin can follow from the last one."""
        drawn: list[str] = []
        while drawn != (lines := self.draw().lines()):
            drawn = lines
        return self

    def wait_for(self, text: str) -> None:
        """Until it is drawn."""
        deadline = time.monotonic() + wait_seconds()
        while text not in self.draw().text():
            assert time.monotonic() < deadline, f"never drawn: {text}\n{self.text()}"

    def _take(self, events: list[Any]) -> None:
        for name, *calls in events:
            if handler := getattr(self, f"_{name}", None):
                for call in calls:
                    handler(*call)

    def lines(self) -> list[str]:
        """The screen as plain text, without blanks at the line ends."""
        return ["".join(text for text, _ in row).rstrip() for row in self.cells]

    def text(self) -> str:
        return "\n".join(self.lines())

    def highlight_at(self, row: int, column: int) -> dict[str, Any]:
        """The attributes of one cell."""
        return self.highlights.get(self.cells[row][column][1], {})

    def save_svg(self, path: Path, title: str) -> None:
        """Write the screen as a picture."""
        with open("/dev/null", "w") as nowhere:
            console = Console(
                record=True, width=self.width, file=nowhere, color_system="truecolor", legacy_windows=False
            )
            for row in self.cells:
                console.print(self._rich_line(row), end="\n", no_wrap=True, crop=False)
            theme = TerminalTheme(_rgb(self.background), _rgb(self.foreground), [(0, 0, 0)] * 8, [(0, 0, 0)] * 8)
            svg = console.export_svg(title=title, theme=theme, code_format=SVG_FORMAT, unique_id="placet")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(svg, "utf-8")

    def _rich_line(self, row: list[tuple[str, int]]) -> Text:
        line = Text()
        # Blanks stand apart: not every viewer keeps those at the beginning of a piece of text.
        for (highlight, _), cells in itertools.groupby(row, key=lambda cell: (cell[1], cell[0] == " ")):
            line.append("".join(text for text, _ in cells), self._rich_style(self.highlights.get(highlight, {})))
        return line

    def _rich_style(self, attributes: dict[str, Any]) -> Style:
        foreground = attributes.get("foreground", self.foreground)
        background = attributes.get("background", self.background)
        if attributes.get("reverse"):
            foreground, background = background, foreground
        return Style(
            color=Color.from_rgb(*_rgb(foreground)),
            bgcolor=Color.from_rgb(*_rgb(background)),
            bold=attributes.get("bold"),
            italic=attributes.get("italic"),
            underline=attributes.get("underline"),
            strike=attributes.get("strikethrough"),
        )

    # ---------------------------------------------------------------- :help ui-linegrid

    def _clear(self) -> None:
        self.cells = [[(" ", 0)] * self.width for _ in range(self.height)]

    def _grid_resize(self, _grid: int, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._clear()

    def _grid_clear(self, _grid: int) -> None:
        self._clear()

    def _default_colors_set(self, foreground: int, background: int, *_: Any) -> None:
        self.foreground, self.background = foreground, background

    def _hl_attr_define(
        self, highlight: int, attributes: dict[str, Any], terminal_attributes: dict[str, Any], *_: Any
    ) -> None:
        self.highlights[highlight] = attributes if self.rgb else terminal_attributes

    def _grid_cursor_goto(self, _grid: int, row: int, column: int) -> None:
        self.cursor = (row, column)

    def _grid_line(self, _grid: int, row: int, column: int, cells: list[Any], *_: Any) -> None:
        highlight = 0
        for text, *rest in cells:
            highlight = rest[0] if rest else highlight
            for _repeat in range(rest[1] if len(rest) > 1 else 1):
                self.cells[row][column] = (text, highlight)
                column += 1

    def _grid_scroll(self, _grid: int, top: int, bottom: int, left: int, right: int, rows: int, _columns: int) -> None:
        targets = range(top, bottom - rows) if rows > 0 else range(bottom - 1, top - rows - 1, -1)
        for row in targets:
            self.cells[row][left:right] = self.cells[row + rows][left:right]


def _rgb(value: int) -> tuple[int, int, int]:
    return value >> 16 & 255, value >> 8 & 255, value & 255
