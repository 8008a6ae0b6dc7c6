"""`placet run`: a prompt without an editor, from the command line to the exit code."""
