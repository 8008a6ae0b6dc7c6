"""`python -m scripts.protocol`, run from the root of the repository: write each generated file anew."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

sys.path.insert(0, str(ROOT / "tests"))  # The table of model faults is a table of tests.

from scripts.protocol.generated import generated_files  # noqa: E402


def main() -> None:
    """Write the generated files. A failure leaves every file unchanged, as all texts are made before the first file is
    written.
    """
    for path, text in generated_files(ROOT).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")


main()
