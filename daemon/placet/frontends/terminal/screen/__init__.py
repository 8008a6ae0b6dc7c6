"""Print the events of a session as text, for a reader at a terminal or for a pipe."""
