"""Command lines of the terminal, defined without the code of the commands."""
