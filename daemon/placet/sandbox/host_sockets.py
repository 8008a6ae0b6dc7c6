"""Unix sockets of the host, by the kernel's own list: a socket with a path answers through a read-only mount."""

from collections.abc import Iterator
from pathlib import Path

_LIST = Path("/proc/net/unix")


def host_sockets() -> tuple[Path, ...]:
    """Return the paths of the sockets that programs of the host wait at. Looks at the disk."""
    try:
        lines = _LIST.read_bytes().splitlines()
    except OSError:
        return ()
    return tuple(dict.fromkeys(_paths(lines)))


def _paths(lines: list[bytes]) -> Iterator[Path]:
    """Yield the absolute paths in the kernel's lines; an abstract socket's name begins with `@`.

    The path is the eighth field and may hold spaces; a socket that is no end of a connection has state 01.
    """
    for line in lines[1:]:
        fields = line.split(maxsplit=7)
        if len(fields) == 8 and fields[7].startswith(b"/") and fields[5] == b"01":
            yield Path(fields[7].decode("utf-8", "surrogateescape"))
