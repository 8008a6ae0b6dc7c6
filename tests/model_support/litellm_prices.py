# pyright: basic
# litellm is not typed strictly.
"""The price that litellm puts on an answer."""

import os
from datetime import UTC, datetime
from unittest.mock import patch

from placet.model.frames import Usage
from placet.model.host import host_environment


def litellm_cost(model: str, usage: Usage, now: datetime | None = None) -> float:
    """Return litellm's price in US dollars at this time; 0 if litellm knows none."""
    with patch.dict(os.environ):
        host_environment.configure_litellm()
        # The import takes seconds, and the collection of the tests need not wait for litellm.
        import litellm
        from litellm.litellm_core_utils.llm_cost_calc import utils

    litellm.suppress_debug_info = True
    prompt = usage.input + usage.cache_read + usage.cache_write
    figures = litellm.Usage(
        prompt_tokens=prompt,
        completion_tokens=usage.output,
        total_tokens=prompt + usage.output,
        prompt_tokens_details={"cached_tokens": usage.cache_read, "cache_creation_tokens": usage.cache_write},
        completion_tokens_details={"reasoning_tokens": usage.reasoning},
        cache_read_input_tokens=usage.cache_read,
        cache_creation_input_tokens=usage.cache_write,
    )
    try:
        with patch.object(utils, "current_billing_time", lambda: now or datetime.now(UTC)):
            return sum(litellm.cost_per_token(model=model, usage_object=figures))
    except Exception:  # noqa: BLE001 - litellm raises bare Exceptions for models without a price
        return 0.0
