"""Inspection of the programs that a command line starts: their options, and the programs started by them."""
