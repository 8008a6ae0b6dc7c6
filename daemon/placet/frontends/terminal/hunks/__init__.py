"""Decide on a change hunk by hunk, in a terminal, with the keys of `git add -p`."""
