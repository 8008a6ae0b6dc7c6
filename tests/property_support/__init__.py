"""How many examples a property test tries."""

from hypothesis import settings

USUAL = 100
"""Number of examples of a property without a number of its own."""


def examples(count: int) -> int:
    """Return the number of examples under the present profile, for a test that usually tries `count` of them."""
    return count * settings.default.max_examples // USUAL
