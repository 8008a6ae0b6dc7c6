"""Numbers of things in words. Pure."""


def counted(count: int, noun: str) -> str:
    """Return the number with the noun in the singular or the plural: `1 file`, `2 files`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
