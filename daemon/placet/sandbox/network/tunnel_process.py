"""ProxyCommand of ssh inside the sandbox: a tunnel through the proxy, between stdin and stdout.

The program runs as a file by `python -I -S`, without the rest of Placet. Arguments: the port of the proxy, the host and
the port of the host.
"""

import os
import selectors
import socket
import sys
from contextlib import suppress

_BYTES = 1 << 16


def main() -> None:
    proxy_port, host, port = sys.argv[1:]
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    proxy = socket.create_connection(("127.0.0.1", int(proxy_port)))
    proxy.sendall(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode("ascii"))
    answer = b""
    while b"\r\n\r\n" not in answer:
        data = proxy.recv(_BYTES)
        answer += data
        if not data:
            break
    head, _, early = answer.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200 "):
        sys.exit(early.decode("utf-8", "replace").strip() or "The proxy of the sandbox has closed the connection.")
    os.write(1, early)
    with suppress(OSError):  # One side has left without a goodbye.
        _relay(proxy)


def _relay(proxy: socket.socket) -> None:
    """Copy both ways until the host closes."""
    with selectors.DefaultSelector() as selector:
        selector.register(proxy, selectors.EVENT_READ)
        selector.register(0, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                if key.fileobj is not proxy:
                    data = os.read(0, _BYTES)
                    if data:
                        proxy.sendall(data)
                    else:
                        selector.unregister(0)
                        proxy.shutdown(socket.SHUT_WR)
                    continue
                data = proxy.recv(_BYTES)
                if not data:
                    return
                while data:
                    data = data[os.write(1, data) :]


if __name__ == "__main__":
    main()
