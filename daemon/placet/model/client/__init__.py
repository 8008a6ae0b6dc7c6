"""Daemon's side of the model host: the process, the requests, and the messages in the host's form."""
