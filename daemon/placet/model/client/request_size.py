"""Size of requests to a server of the user's own, which may cut a request that is too long without a word.

A provider in the cloud refuses such a request by itself, and counts its tokens better than an estimate.
"""

from placet.core.errors import ModelError
from placet.core.messages import FilePart, Tokens
from placet.model import base, frames
from placet.model.token_estimate import fixed_tokens, messages_tokens
from placet.settings.provider_kinds import LOCAL

_LEAST_RATIO, _MOST_RATIO = 0.5, 2.0
"""Limits of the server's count as a part of the estimate; no tokenizer is further away."""
_CUT_RATIO = 0.6
"""Part of the expected tokens below which a server has not read the whole request."""
_LEAST_MISSING = 500
"""Number of tokens that are missing at least where a request is called cut."""
_REMEDIES = {
    **dict.fromkeys((*frames.OLLAMA, LOCAL), "Set a larger `contextSize` for the model (docs/MODELS.md)"),
    "lm_studio": "Load the model in LM Studio with a longer context",
    "llamafile": "Start llama-server with a larger `--ctx-size`",
    "hosted_vllm": "Start vLLM with a larger `--max-model-len`",
}
"""Ways to a larger context, by litellm's name of the server's kind."""


def larger_context(kind: str) -> str:
    """Return what the user can do for a larger context, without a full stop; `kind`: litellm's name of the provider."""
    return _REMEDIES.get(kind, "Let your server serve a larger context")


class RequestSize:
    """Estimate of the tokens of a model's requests, corrected by what the server counted before."""

    def __init__(self, model: str, kind: str) -> None:
        """Create the estimate; `model`: the model's name for the user; `kind`: litellm's name of the provider."""
        self._model = model
        self._remedy = larger_context(kind)
        self._ratio = 1.0
        self._has_told = False

    def fitting(self, request: base.ModelRequest, facts: frames.ModelFacts | None) -> int:
        """Return the estimate of the request, without the correction.

        Raises ModelError("context_overflow") if the request does not fit the context that the server serves.
        """
        estimate = fixed_tokens(request.system, request.tools) + messages_tokens(request.messages)
        size = None if facts is None else facts.context_size
        if facts is None or size is None or (needed := self._corrected(estimate)) < size:
            return estimate
        limit = f"the context of {self._model} {size:,}, {facts.context_source}"
        raise ModelError(
            "context_overflow",
            f"The request has about {needed:,} tokens, and {limit}.",
            hint=f"{self._remedy}, attach less, or choose another model.",
        )

    def remark_on(self, request: base.ModelRequest, estimate: int, counted: Tokens) -> base.Remark | None:
        """Learn from the server's count; return the notice, once, that the server has read only a part of a request."""
        read = counted.input + counted.cache_read + counted.cache_write
        if not read or any(isinstance(part, FilePart) for message in request.messages for part in message.parts):
            return None  # The tokens of an image differ too much from model to model.
        expected = self._corrected(estimate)
        if read >= expected * _CUT_RATIO or expected - read < _LEAST_MISSING:
            self._ratio = min(_MOST_RATIO, max(_LEAST_RATIO, read / max(1, estimate)))
            return None
        if self._has_told:
            return None
        self._has_told = True
        message = (
            f"{self._model} has read {read:,} tokens of about {expected:,}: its server has cut the request, so the "
            "answer may be wrong."
        )
        return base.Remark("cut_request", message, f"{self._remedy}.")

    def _corrected(self, estimate: int) -> int:
        return round(self._ratio * estimate)
