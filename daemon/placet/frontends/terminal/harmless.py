"""What rich prints, made harmless: no file and no model can hide what is asked, or move the cursor."""

from collections.abc import Iterable
from typing import Never

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from placet.visible_text import without_controls


class PipedConsole(Console):
    """Raises BrokenPipeError when its reader has gone, as any stream does, where rich would end the process.

    What a terminal would obey is shown as a sign, whatever is printed; the styles of rich itself are kept.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else without_controls(text), style, control)

    def on_broken_pipe(self) -> Never:
        raise BrokenPipeError
