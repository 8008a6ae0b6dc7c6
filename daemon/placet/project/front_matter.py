"""YAML front matter of a Markdown file: the fields between two lines of `---` at its start, and the text after them."""

from typing import Any

from placet.edits.lines import to_lf


class FrontMatterError(Exception):
    """The front matter cannot be read; the text says why."""


def parse_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """(fields, body); no fields when there is no front matter. Raises FrontMatterError."""
    import yaml  # Only files with front matter need it, and few sessions meet one.

    text = to_lf(text)
    if not text.startswith("---\n"):
        return {}, text
    head, fence, body = text[4:].partition("\n---\n")
    if not fence:
        head, fence, body = text[4:].removesuffix("\n"), "", ""
        if not head.endswith("\n---"):
            raise FrontMatterError("its front matter has no end: a line of `---` is missing")
        head = head.removesuffix("\n---")
    try:
        fields = yaml.safe_load(head)
    except yaml.YAMLError as error:
        raise FrontMatterError(f"its front matter is not YAML: {' '.join(str(error).split())}") from error
    if fields is None:
        return {}, body
    if not isinstance(fields, dict):
        raise FrontMatterError("its front matter is not a list of fields")
    return {str(name): value for name, value in fields.items()}, body
