"""`-m hostile_support DIRECTORY FOLDER`: the repository in that folder, its marks in DIRECTORY/marks."""

import sys
from pathlib import Path

from hostile_support import HostileRepository

HostileRepository(Path(sys.argv[1]), Path(sys.argv[2]))
