"""`placet` with little patience for an editor that does not answer: `python -m neovim_support.hasty`."""

import sys

from placet.__main__ import main
from placet.frontends.lsp.ports import documents

documents.APPLY_SECONDS = 0.05
documents.LANDING_SECONDS = 0.05

if __name__ == "__main__":
    sys.exit(main())
