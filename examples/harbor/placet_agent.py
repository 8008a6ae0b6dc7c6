"""Placet as an installed agent of Harbor, the evaluation framework of Terminal-Bench: docs/FLEETS.md#harbor.

Harbor imports this file, and the file imports nothing of Placet: the two need no common Python. Written for Harbor
0.26, see https://harborframework.com/docs/agents.

    PYTHONPATH=examples/harbor harbor run --dataset terminal-bench@2.0 --agent placet_agent:Placet \\
        --model anthropic/claude-sonnet-4-5 --ak wheel=dist/placet-0.1.0-py3-none-any.whl
"""

import json
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from harbor.agents.agent_auth_resolution import ModelConnectionSpec
from harbor.agents.capabilities import AgentCapabilities
from harbor.agents.installed.base import BaseInstalledAgent, with_prompt_template
from harbor.agents.options import Cli, InstalledAgentOptions
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext
from pydantic import Field

EVENTS = "placet.jsonl"
MESSAGES = "placet.txt"
LIMIT_REACHED = 5
"""Exit code of `placet run` at a limit; the work until then counts, so that the verifier judges it."""
_PATH = 'export PATH="$HOME/.local/bin:$PATH"'


class PlacetOptions(InstalledAgentOptions):
    """Options of the agent (`--ak NAME=VALUE`)."""

    wheel: str | None = Field(default=None, description="Placet's wheel, a path on this machine (`make package`).")
    python: str = Field(default="3.12", description="Version of Python for Placet, from uv.")
    max_steps: Annotated[int | None, Cli("--max-steps")] = Field(default=None, description="Limit of model calls.")
    max_cost: Annotated[float | None, Cli("--max-cost")] = Field(default=None, description="Limit in US dollars.")
    reasoning_effort: Annotated[str | None, Cli("--effort")] = Field(default=None, description="Effort of the model.")
    agent: Annotated[str | None, Cli("--agent")] = Field(default=None, description="Placet's agent for the prompt.")


class Placet(BaseInstalledAgent):
    """Agent of one trial: installs Placet in the task's container, runs `placet run`, and reads its events."""

    capabilities = AgentCapabilities(base_url=True, reasoning_effort=True)
    options_model = PlacetOptions
    options: PlacetOptions
    # Keys keep the names of their providers, which Placet knows.
    MODEL_CONNECTION = ModelConnectionSpec(base_url_destination_names={"default": "PLACET_API_BASE"})

    @staticmethod
    def name() -> str:
        return "placet"

    def get_version_command(self) -> str:
        return f"{_PATH}; placet --version"

    def parse_version(self, stdout: str) -> str:
        return stdout.split()[-1]

    async def install(self, environment: BaseEnvironment) -> None:
        """Install the wheel with uv, beside the Python of the image. An image with Placet needs no wheel."""
        if self.options.wheel is None:
            if await self.is_requested_version_installed(environment):
                return
            raise ValueError("Build Placet's wheel (`make package`), and name it: --ak wheel=dist/placet-….whl")
        wheel = Path(self.options.wheel)
        target = f"/installed-agent/{wheel.name}"
        await self.ensure_system_dependencies(environment, ("curl", "bash", "git"))
        await environment.upload_file(wheel, target)
        await self.exec_as_agent(
            environment,
            f"{_PATH}; command -v uv >/dev/null || curl -LsSf https://astral.sh/uv/install.sh | sh; "
            f"uv tool install --force --python {shlex.quote(self.options.python)} {shlex.quote(target)} "
            "&& placet --version",
        )

    @with_prompt_template
    async def run(self, instruction: str, environment: BaseEnvironment, context: AgentContext) -> None:
        """Run the instruction. Every call is allowed: the container is thrown away after the trial."""
        model = ("--model", self.model_name) if self.model_name else ()
        command = shlex.join(("placet", "run", "--yes", "--json", "--literal", *model))
        events, messages = (shlex.quote(str(self.environment_logs_dir / name)) for name in (EVENTS, MESSAGES))
        await self.exec_as_agent(
            environment,
            f"{_PATH}; {command} {self.build_cli_flags()} -- {shlex.quote(instruction)} </dev/null >{events} "
            f"2>{messages}; code=$?; [ $code -eq 0 ] || [ $code -eq {LIMIT_REACHED} ] || "
            # Harbor tells the kinds of errors apart by the words of the output; the last event has the error.
            f"{{ tail -n 1 {events}; cat {messages} >&2; exit $code; }}",
            env=dict(self.model_connection.env),
        )

    def populate_context_post_run(self, context: AgentContext) -> None:
        """Read tokens and cost from the events; of a run that was cut off, the events until then count."""
        events = self.logs_dir / EVENTS
        if not events.is_file():
            return
        spent, ended = _spent(events.read_text("utf-8", errors="replace").splitlines())
        tokens = [usage["tokens"] for usage in spent]
        cached = sum(used["cacheRead"] + used["cacheWrite"] for used in tokens)
        context.n_input_tokens = sum(used["input"] for used in tokens) + cached
        context.n_cache_tokens = sum(used["cacheRead"] for used in tokens)
        context.n_output_tokens = sum(used["output"] for used in tokens)
        # Zero with an unknown price.
        context.cost_usd = sum(usage["cost"] for usage in spent) or None
        context.metadata = {"placet": {"exit_code": ended.get("exitCode"), "session": ended.get("sessionId")}}


def _spent(lines: Iterable[str]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the usages to sum up, and the last event of a run that came to its end (else an empty one)."""
    by_message: dict[str, dict[str, Any]] = {}
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:  # The last line of a run that was killed.
            continue
        if event.get("kind") == "run_ended":
            return [event["result"]] if event.get("result") else list(by_message.values()), event
        update = event.get("update", {})
        if update.get("kind") == "usage_update":
            by_message[update["messageId"]] = update
    return list(by_message.values()), {}
