"""Front ends: a folder each, with a `start.py` whose `main(arguments)` serves until the client goes."""

FRONT_ENDS = {
    "--stdio": ("lsp", "run as a language server on stdin and stdout"),
    "--acp": ("acp", "run as an agent of the Agent Client Protocol on stdin and stdout"),
}
"""Folder and line of help of each front end that a client starts, by the first word of the command line."""
