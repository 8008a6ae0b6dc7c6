"""Command hooks: commands of the user and of trusted projects that run at points of a session, as in Claude Code."""
