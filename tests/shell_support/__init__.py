"""Real bash, with every program replaced by a stub that only says that it was called."""
