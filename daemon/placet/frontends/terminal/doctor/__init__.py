"""`placet doctor`: the state of Placet on this machine, the problems, and advice."""
