"""Commands that work: at a prompt, in a script, and in worktrees."""
