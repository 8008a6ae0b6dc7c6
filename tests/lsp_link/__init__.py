"""A server and its client in one process, over bytes: Placet's connection, or a stock pygls server for comparison."""
