"""docs/MODEL-FAULTS.md: the table of model faults that the tests run, as a page."""

from pathlib import Path

from model_support.fault_table import ALL

_TEXT = Path(__file__).parent / "texts" / "model_faults.md"


def model_faults_page() -> str:
    """Return the page as Markdown."""
    rows = [
        (
            fault.what,
            f"`{fault.code}`" + (", after a part of the answer" if fault.begun else ""),
            _worded(fault.message).rstrip(".") + ".",
            _worded(fault.hint),
            "" if fault.retry_after is None else f"{fault.retry_after:g} s",
        )
        for fault in ALL
    ]
    lines = ["| fault | code | the user sees | and is told | said to wait |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return _TEXT.read_text("utf-8").replace("{table}", "\n".join(lines))


def _worded(text: str) -> str:
    return text.format(base="ADDRESS", model="MODEL", key="VARIABLE").replace("|", "\\|")
