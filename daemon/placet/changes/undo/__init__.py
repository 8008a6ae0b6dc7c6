"""Undo and redo of changes, and the overview of a session's changes."""
