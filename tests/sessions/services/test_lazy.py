"""A part that is made by its first use."""

from placet.sessions.services.lazy import Lazy


def test_the_first_use_makes_the_part_and_each_later_use_gets_the_same() -> None:
    made: list[list[str]] = []

    def make() -> list[str]:
        made.append([])
        return made[-1]

    part = Lazy(make)
    assert (part.made, made) == (None, [])
    assert part.get() is part.get() is part.made
    assert len(made) == 1
