"""`placet sandbox`: explain the sandbox of a command line, and test the sandbox of this machine."""
