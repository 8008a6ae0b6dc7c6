"""System prompt: the agent's text, the rules of the user and the project, and excerpts of diffs."""
