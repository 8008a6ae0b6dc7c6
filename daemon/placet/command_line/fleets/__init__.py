"""Commands that run many tasks at once."""
