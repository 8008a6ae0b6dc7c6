"""Slash commands: the syntax, the catalog, and the text of a command for the given arguments."""
