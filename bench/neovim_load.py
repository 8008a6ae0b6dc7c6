"""What the Neovim plugin costs before it is used, in fresh Neovims, beside a plugin file with nothing in it."""

import asyncio
import statistics
import sys
import tempfile
from pathlib import Path

from bench.report import Figure

ROUNDS = 21
GOAL_MILLISECONDS = 1.0
NVIM = Path(sys.executable).with_name("nvim")
PLUGIN = Path(__file__).parents[1] / "clients" / "neovim"

SCRIPT = """
local function milliseconds(run)
  local start = vim.uv.hrtime()
  run()
  return (vim.uv.hrtime() - start) / 1e6
end
vim.opt.runtimepath:prepend({ arg[1], arg[2] })
local nothing = milliseconds(function() vim.cmd.runtime('plugin/nothing.lua') end)
local plugin = milliseconds(function() vim.cmd.runtime('plugin/placet.lua') end)
-- vim.lsp itself is loaded by any server.
vim.lsp.config('another', { cmd = {} })
local enabled = milliseconds(function() return vim.lsp.config.placet.cmd end)
io.write(('%f %f %f'):format(nothing, plugin, enabled))
"""


async def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        (root / "plugin").mkdir()
        (root / "plugin" / "nothing.lua").write_text("", "utf-8")
        script = root / "measure.lua"
        script.write_text(SCRIPT, "utf-8")
        rounds = [await _once(script, root) for _ in range(ROUNDS)]
    nothing, plugin, enabled = map(statistics.median, zip(*rounds, strict=True))
    verdict = "met" if plugin < GOAL_MILLISECONDS else "MISSED"
    return [
        Figure(
            "loading the plugin",
            plugin,
            "ms",
            floor=nothing,
            floor_name="an empty file",
            note=f"goal under {GOAL_MILLISECONDS:.0f} ms {verdict}",
        ),
        Figure("lsp/placet.lua, at the first file", enabled, "ms"),
    ]


async def _once(script: Path, root: Path) -> tuple[float, ...]:
    process = await asyncio.create_subprocess_exec(
        *(NVIM, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-l", script, PLUGIN, root),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output, errors = await process.communicate()
    if process.returncode != 0:
        raise RuntimeError(errors.decode())
    return tuple(map(float, output.split()))
