"""The pipes of a process that a client starts: claimed before anything is printed, read and written by threads."""
