"""`placet worktree`, and worktrees of `placet run`."""
