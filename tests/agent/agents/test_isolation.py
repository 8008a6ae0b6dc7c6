"""The field `isolation` in files and settings of agents."""

from pathlib import Path
from typing import Any

from placet.agent.agents.agent import AgentCatalog
from placet.agent.agents.definitions import read_catalog
from placet.permissions.rules import builtin_rules
from placet.settings import Locations, Settings


def catalog(locations: Locations, **settings: Any) -> AgentCatalog:
    return read_catalog(Settings.model_validate(settings), locations.agents, builtin_rules())


def test_an_agent_with_isolation_works_apart_until_a_later_definition_says_none(tmp_path: Path) -> None:
    locations = Locations(*(tmp_path / name for name in ("config", "data", "cache", "log")))
    file = locations.config / "agents" / "worker.md"
    file.parent.mkdir(parents=True)
    file.write_text("---\nname: worker\nisolation: worktree\n---\nYou work.\n")
    agents = catalog(locations)
    assert agents.find("worker").isolated
    assert [problem for problem in agents.problems if "the field `isolation`" in problem] == []
    assert not agents.find("build").isolated

    assert not catalog(locations, agent={"worker": {"isolation": "none"}}).find("worker").isolated

    file.write_text("---\nisolation: remote\n---\n")
    (problem,) = catalog(locations).problems
    assert ":2: the agent `worker`: `isolation`: " in problem
