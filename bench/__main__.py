"""`make bench`: all of them, or those named on the command line. Fails where a figure misses its goal."""

import asyncio
import sys
from importlib import import_module

from bench.report import lines

BENCHES = {
    "cold_start": "Cold starts, to the first request",
    "side_by_side": "Steps and memory of a run, beside other agents",
    "startup": "Start",
    "acp": "placet --acp: start, a session, and a prompt",
    "shared_start": "Start, where a shared daemon runs",
    "extended_start": "Start, with extensions",
    "neovim_load": "The Neovim plugin, before it is used",
    "keystroke": "A keystroke in a document of 1 MB",
    "complexity": "Hostile lines and texts, beside counting to fifty thousand",
    "lag": "How long the daemon keeps a request waiting",
    "bombs": "How long the daemon keeps a request waiting while a bomb goes off",
    "stops": "Stops of what waits for a server",
    "host_start": "The start of the model host",
    "model_host": "The model host: a long answer, a long call, a short one, a long history, a cancel",
    "sessions": "Sessions: a store of 10,000 messages",
    "tools": "Tools: searches of 50,000 files, an edit of a long file, ten reads at once",
    "completion": "Completing a mention",
    "inline_completion": "Inline completion in a document of 1 MB, apart from the model",
    "commands": "Commands under the eye of undo, in a project of 2,000 files",
    "sandbox_network": "The network of the sandbox",
    "sandbox": "Commands in the sandbox, in a project of 2,000 files",
    "sandbox_overlay": "Commands whose changes are proposed, in a project of 2,000 files",
    "review": "The review of 300 files with 2,000 hunks",
    "neovim_review": "The review of 300 files with 2,000 hunks in Neovim",
    "fleet": "Fleets of scripted tasks, on this machine and on Ray",
    "turns": "Turns, against a local server that speaks the OpenAI wire",
    "long_session": "A session of 500 steps",
    "telemetry": "Telemetry",
    "mcp_calls": "Calls of MCP servers that flood and hang",
    "vscode_activation": "The VS Code extension",
    "vscode_windows": "Waits in the window of VS Code",
    "chat_page": "The longest task of the page of VS Code's chat",
    "neovim_deltas": "Neovim: 20,000 deltas into the chat",
}


async def main(names: list[str]) -> None:
    missed: list[str] = []
    for name in names or list(BENCHES):
        figures = await import_module(f"bench.{name}").measure()
        print("\n".join(lines(BENCHES[name], figures)), flush=True)
        missed += [f"{name}: {figure.name}" for figure in figures if figure.is_missed]
    if missed:
        sys.exit("\n".join(["Goals that are missed:", *missed]))


asyncio.run(main(sys.argv[1:]))
