"""Reader of server-sent events: the payloads in a stream of bytes, for any division of the bytes.

https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
"""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

MOST_EVENT_BYTES = 20_000_000
"""Limit of one event, or of an endless line. Some providers send a whole tool call in one event."""


class EventTooLong(Exception):
    """Raised when one event of the stream is longer than MOST_EVENT_BYTES."""

    def __init__(self) -> None:
        super().__init__(f"one event of its stream is larger than {MOST_EVENT_BYTES} bytes")


class EventLines:
    """Cuts bytes into the `data` of events. Other fields are not needed: every wire repeats the fields in `data`."""

    def __init__(self) -> None:
        self._tail = b""
        self._data: list[bytes] = []
        self._at_start = True

    def feed(self, data: bytes) -> list[bytes]:
        """Return the payloads which `data` completes; comments and keep-alives give no payload. Raises EventTooLong."""
        data = self._tail + data if self._tail else data
        if self._at_start:
            if len(data) < len(_BYTE_ORDER_MARK) and _BYTE_ORDER_MARK.startswith(data):
                self._tail = data
                return []
            self._at_start = False
            data = data.removeprefix(_BYTE_ORDER_MARK)
        half_end = b""
        if b"\r" in data:
            if data.endswith(b"\r"):  # Perhaps the first half of \r\n.
                half_end = b"\r"
                data = data[:-1]
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = data.split(b"\n")
        self._tail = lines.pop() + half_end
        payloads = self._take(lines)
        if len(self._tail) + sum(map(len, self._data)) > MOST_EVENT_BYTES:
            raise EventTooLong
        return payloads

    def finish(self) -> list[bytes]:
        """Return the payload which no blank line has ended: some servers forget this line after their last event."""
        line, self._tail = self._tail.removesuffix(b"\r"), b""
        return self._take([line, b""])

    def _take(self, lines: list[bytes]) -> list[bytes]:
        payloads: list[bytes] = []
        data = self._data
        for line in lines:
            if line.startswith(b"data:"):
                data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif not line:
                if data:
                    payloads.append(data[0] if len(data) == 1 else b"\n".join(data))
                    data.clear()
            elif line.startswith(b"{"):
                # A server that answers 200 and then reports its fault as bare JSON.
                payloads.append(line)
        return payloads
