"""Slash commands: how they are written, which there are, and what one says for its arguments."""
