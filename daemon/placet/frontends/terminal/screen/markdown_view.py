"""Render a block of Markdown for a terminal: nothing of the text is lost, and the address of a link is visible."""

from typing import ClassVar

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.segment import Segment, Segments
from rich.syntax import Syntax
from rich.theme import Theme

_THEME = "ansi_dark"
"""Colours of the terminal itself, which fit a dark and a light terminal."""
_PLAIN_CODE = Theme({"markdown.code": "bold cyan", "markdown.code_block": "cyan"})
"""rich's style has a black background, which is a box on a light terminal."""


class _LeftHeading(Heading):
    """Heading at the left margin, where the eye looks for the next line."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class _PlainCode(CodeBlock):
    """Code without a frame and without a background: the lines can be copied."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        yield Syntax(
            code, self.lexer_name, theme=self.theme, word_wrap=True, padding=(0, 2), background_color="default"
        )


class MarkdownView(Markdown):
    """Block of Markdown, rendered at the width of the console.

    HTML is shown as text, because rich leaves it out. The address of a link stands behind the text of the link: a
    hidden address could be another one than the text says.
    """

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _LeftHeading,
        "fence": _PlainCode,
        "code_block": _PlainCode,
    }

    def __init__(self, text: str) -> None:
        super().__init__("", code_theme=_THEME, hyperlinks=False)
        self.markup = text
        self.parsed = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"]).parse(text)


def rendered(text: str, console: Console) -> Segments:
    """Return the block as rendered at the width of the console, with one empty line behind."""
    with console.use_theme(_PLAIN_CODE):
        lines = console.render_lines(MarkdownView(text), pad=False)
    while lines and not _is_visible(lines[0]):
        del lines[0]
    while lines and not _is_visible(lines[-1]):
        del lines[-1]
    segments = [segment for line in lines for segment in (*_without_padding(line), Segment.line())]
    return Segments([*segments, Segment.line()])


def _without_padding(line: list[Segment]) -> list[Segment]:
    """Return the line without the blanks with which rich fills the width: a copied line ends with its text."""
    kept = list(line)
    while kept and not kept[-1].text.strip():
        kept.pop()
    return [*kept[:-1], kept[-1]._replace(text=kept[-1].text.rstrip())] if kept else []


def _is_visible(line: list[Segment]) -> bool:
    return any(segment.text.strip() for segment in line)
