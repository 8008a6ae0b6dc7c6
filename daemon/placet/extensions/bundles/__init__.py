"""Bundles: commands, agents, skills, hooks and servers that the user adds as one thing, pinned by commit and digest."""
