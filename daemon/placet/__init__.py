"""Placet: a coding agent that lives in the editor as a language server."""

__version__ = "0.1.0"
