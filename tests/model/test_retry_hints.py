"""When a provider says to come back."""

import email.utils

import pytest

from corpus_support import corpus
from placet.model.host.retry_hints import retry_after_seconds

NOW = 1_800_000_000.0


@corpus(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": email.utils.formatdate(NOW + 30, usegmt=True)}, 30.0),
        ({"retry-after": email.utils.formatdate(NOW - 30, usegmt=True)}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after": "999999999"}, None),
        ({"x-ratelimit-reset": "90"}, 90.0),
        ({"x-ratelimit-reset": f"{NOW + 90:.0f}"}, 90.0),
        ({"x-ratelimit-reset": f"{(NOW + 90) * 1000:.0f}"}, 90.0),
        ({"ratelimit-reset": "12"}, 12.0),
        ({"x-ratelimit-reset-requests": "500ms", "x-ratelimit-reset-tokens": "6m0s"}, 0.5),
        ({"x-ratelimit-reset-requests": "1d2h3m4.5s"}, 93_784.5),
        (
            {
                "x-ratelimit-remaining-requests": "3",
                "x-ratelimit-reset-requests": "1s",
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "6m0s",
            },
            360.0,
        ),
        (
            {
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-requests-reset": "2027-01-15T08:01:00Z",
                "anthropic-ratelimit-tokens-remaining": "5",
                "anthropic-ratelimit-tokens-reset": "2027-01-15T08:00:01Z",
            },
            60.0,
        ),
        ({"x-ratelimit-limit": "5", "x-ratelimit-remaining": "0"}, None),
    ],
)
def test_each_form_of_a_hint_is_read(headers: dict[str, str], seconds: float | None):
    assert retry_after_seconds(headers, NOW) == (None if seconds is None else pytest.approx(seconds, abs=0.01))
