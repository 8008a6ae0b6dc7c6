"""docs/editors: the page of an editor, made of the texts that `placet setup` prints."""

from placet.frontends.terminal.setup.editor_text import EditorText


def editor_page(editor: EditorText) -> str:
    """Return the editor's page as Markdown."""
    return f"""\
# Placet in {editor.title}

`placet setup {editor.name}` prints these lines, and checks your present setup.

Put these lines into `~/{editor.place}`:

```{editor.language}
{editor.snippet}```

## Use

{editor.use}

## Limits

{editor.limits}

Tried with: {editor.tried}
"""
