"""`PYTHONPATH=tests python -m crash_support [POINTS [SEED]]`: the crash figures as JSON; 1 if something was wrong."""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from crash_support.campaign import run_campaign

if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    directory = Path(tempfile.mkdtemp(prefix="placet-crash-"))
    campaign = asyncio.run(run_campaign(directory, count, seed))
    print(json.dumps(campaign.figures(), indent=2))  # noqa: T201
    sys.exit(bool(campaign.problems))
