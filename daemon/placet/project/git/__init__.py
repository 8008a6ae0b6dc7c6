"""Git, asked for information only: no call runs a program that the repository names."""
