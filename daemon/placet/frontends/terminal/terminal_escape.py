"""Make rich's output harmless: no file and no model can hide a question, or move the cursor."""

from collections.abc import Iterable
from typing import Never

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from placet.core.visible_text import without_controls


class PipedConsole(Console):
    """Console that raises BrokenPipeError when the reader has gone, where rich would end the process.

    Characters that a terminal would obey are shown as a sign; the styles of rich itself are kept.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else without_controls(text), style, control)

    def on_broken_pipe(self) -> Never:
        raise BrokenPipeError
