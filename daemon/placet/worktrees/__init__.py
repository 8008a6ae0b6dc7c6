"""Git worktrees in which sessions work apart from the user's own tree."""
