"""Daemon that several editors share: the endpoint, the proxy, and the workspace of the connected editors."""
