"""Speed at which a model's server reads a prompt, from the requests of this process."""

LEAST_TOKENS = 500
"""Tokens of a request below which the request says nothing about the speed."""


class PromptSpeed:
    """Fastest measured reading of one model; the model host's client owns the object.

    The fastest counts, because a server that loads the model or is busy reads slower than it can.
    """

    def __init__(self) -> None:
        self._fastest: float | None = None

    @property
    def tokens_per_second(self) -> float | None:
        return self._fastest

    def note(self, tokens: int, seconds: float) -> None:
        """Note that the answer to a request with so many tokens, which no cache held, began after so many seconds."""
        if tokens >= LEAST_TOKENS and seconds > 0:
            self._fastest = max(self._fastest or 0.0, tokens / seconds)
