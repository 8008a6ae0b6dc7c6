"""Run Placet with patience for an editor on a crowded machine, where VS Code may take longer than the usual limit to
make an edit.
"""

import sys

from placet.__main__ import main
from placet.frontends.lsp.ports import sent_edits

if __name__ == "__main__":
    sent_edits.APPLY_SECONDS = 60.0
    sys.exit(main())
