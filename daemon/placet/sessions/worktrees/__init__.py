"""Worktrees as sessions use them: set up, brought back, and known by their ports."""
