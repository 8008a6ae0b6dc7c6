"""`placet review`: decide on the staged changes of a session."""
