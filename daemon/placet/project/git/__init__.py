"""Git, for information and for worktrees: no call runs a program that the repository names."""
