"""Commands by which the user decides: about changes, and about waiting requests."""
