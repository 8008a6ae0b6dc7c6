"""The command line: one file for each command, and the parser made of these files."""
