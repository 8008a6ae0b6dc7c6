"""A language server's process for Neovim to start; what it says and hears is at the other end of a socket."""

import os
import socket
import sys
import threading


def main() -> None:
    """Carry bytes between stdio and the port given, until either side ends."""
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
        threading.Thread(target=_carry_input, args=(connection,), daemon=True).start()
        while data := connection.recv(65536):
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()


def _carry_input(connection: socket.socket) -> None:
    while data := os.read(0, 65536):
        connection.sendall(data)
    connection.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    main()
