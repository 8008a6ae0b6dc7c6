"""Filling of a hole in a text: the interfaces of the servers for fill-in-the-middle."""
