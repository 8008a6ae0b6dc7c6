"""`placet` with little patience for an editor that stands still: `python -m neovim_support.hasty`.

The editor stands still as long as the file PLACET_STANDS_STILL exists.
"""

import os
import sys
from pathlib import Path
from typing import Any

from placet.__main__ import main
from placet.frontends.lsp.ports import sent_edits

USUAL = (sent_edits.APPLY_SECONDS, sent_edits.LANDING_SECONDS)
send = sent_edits.SentEdits.send


async def send_hastily(self: sent_edits.SentEdits, params: dict[str, Any]) -> Any:
    if Path(os.environ["PLACET_STANDS_STILL"]).exists():
        sent_edits.APPLY_SECONDS = sent_edits.LANDING_SECONDS = 0.05
    try:
        return await send(self, params)
    finally:
        sent_edits.APPLY_SECONDS, sent_edits.LANDING_SECONDS = USUAL


sent_edits.SentEdits.send = send_hastily

if __name__ == "__main__":
    sys.exit(main())
