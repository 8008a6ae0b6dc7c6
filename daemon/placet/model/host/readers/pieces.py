"""Pieces of one network read: texts which continue a piece are joined before the piece is made."""

from collections.abc import Iterable

from placet.model.frames import Arguments, Piece, Text, Thought


class Pieces:
    """Gathers pieces in order."""

    def __init__(self) -> None:
        self._done: list[Piece] = []
        self._kind = ""
        self._call_id = ""
        self._texts: list[str] = []

    def text(self, text: str) -> None:
        self._add("text", text)

    def thought(self, text: str) -> None:
        self._add("thought", text)

    def arguments(self, call_id: str, text: str) -> None:
        self._add("arguments", text, call_id)

    def put(self, pieces: Iterable[Piece]) -> None:
        """Add finished pieces."""
        for piece in pieces:
            if isinstance(piece, Arguments):
                self._add("arguments", piece.text, piece.call_id)
            else:
                self._close()
                self._done.append(piece)

    def take(self) -> list[Piece]:
        """Return all pieces since the last call."""
        self._close()
        done, self._done = self._done, []
        return done

    def _add(self, kind: str, text: str, call_id: str = "") -> None:
        if kind != self._kind or call_id != self._call_id:
            self._close()
            self._kind, self._call_id = kind, call_id
        self._texts.append(text)

    def _close(self) -> None:
        if not self._texts:
            return
        text = "".join(self._texts)
        match self._kind:
            case "text":
                self._done.append(Text(text))
            case "thought":
                self._done.append(Thought(text))
            case _:
                self._done.append(Arguments(self._call_id, text))
        self._texts.clear()
        self._kind = ""
