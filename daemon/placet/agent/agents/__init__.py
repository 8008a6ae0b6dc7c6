"""Definitions of agents: built in, in files and in settings, and the names of other programs' tools."""
