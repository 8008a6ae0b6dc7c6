import signal
import subprocess
import sys

from time_support import wait_seconds

STUBBORN = """
import asyncio
from placet.frontends.terminal.run.interruption import Interruption

async def work():
    print("begun", flush=True)
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            print("cancelled", flush=True)

async def main():
    interruption = Interruption()
    with interruption.watched():
        await interruption.guard(work())

asyncio.run(main())
"""


def test_one_signal_cancels_and_a_second_kills_what_does_not_end():
    with subprocess.Popen([sys.executable, "-c", STUBBORN], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for told in ("begun", "cancelled"):
            assert process.stdout.readline().strip() == told
            process.send_signal(signal.SIGINT)

        try:
            assert process.wait(timeout=wait_seconds()) == -signal.SIGINT
        finally:
            process.kill()
