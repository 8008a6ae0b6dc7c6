"""The sandbox around commands: what a command may touch, and the backends that hold the command to it."""
