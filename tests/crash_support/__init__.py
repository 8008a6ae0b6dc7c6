"""Daemons that are killed at chosen points of their work, and what is found afterwards. Linux.

`fork_server` runs them cheaply: it has imported everything and forks. `victim` is one daemon's work, `points` where it
can be killed, `aftermath` what must hold then. `stdio` and `acp` kill a true daemon behind a client of each door.
"""
