"""`placet` with little patience for an editor that stands still: `python -m neovim_support.hasty`.

The editor stands still as long as the file PLACET_STANDS_STILL exists.
"""

import os
import sys
from pathlib import Path
from typing import Any

from placet.__main__ import main
from placet.frontends.lsp.ports import documents

USUAL = (documents.APPLY_SECONDS, documents.LANDING_SECONDS)
send = documents.LspDocuments._send


async def send_hastily(self: documents.LspDocuments, params: dict[str, Any]) -> Any:
    if Path(os.environ["PLACET_STANDS_STILL"]).exists():
        documents.APPLY_SECONDS = documents.LANDING_SECONDS = 0.05
    try:
        return await send(self, params)
    finally:
        documents.APPLY_SECONDS, documents.LANDING_SECONDS = USUAL


documents.LspDocuments._send = send_hastily

if __name__ == "__main__":
    sys.exit(main())
