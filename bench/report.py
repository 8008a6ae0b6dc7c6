"""One figure, and how it is shown."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """A measurement; `goal` is the highest ratio to the floor that is wanted, where there is one."""

    name: str
    value: float
    unit: str
    floor: float | None = None
    floor_name: str = ""
    goal: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        return self.value / self.floor if self.floor else None

    @property
    def is_missed(self) -> bool:
        return self.goal is not None and self.ratio is not None and self.ratio > self.goal


def lines(title: str, figures: list[Figure]) -> list[str]:
    """The figures as rows of text."""
    rows = [title]
    for figure in figures:
        row = f"  {figure.name:<46} {figure.value:>9.2f} {figure.unit:<4}"
        if figure.ratio is not None:
            row += f" {figure.ratio:>6.2f} x {figure.floor_name} ({figure.floor:.2f} {figure.unit})"
        if figure.goal is not None and figure.ratio is not None:
            row += f"  goal {figure.goal:.2f} {'MISSED' if figure.is_missed else 'met'}"
        if figure.note:
            row += f"  {figure.note}"
        rows.append(row)
    return rows
