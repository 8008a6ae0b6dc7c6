"""Services are made by their first use, and the services of a worktree share what has state for all folders."""

from pathlib import Path

import pytest

from placet.project.paths import Workspace
from services_support import TempServices


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    return TempServices(tmp_path)


async def test_a_start_makes_no_service_for_changes_and_no_sandbox(services: TempServices) -> None:
    async with services.open() as sessions:
        own = sessions._services
        shared = own.shared
        assert [part.made for part in (shared.journal, shared.change_sets, shared.sandboxes)] == [None] * 3
        assert not own.has_pipeline
        assert own.pipeline is own.pipeline
        assert own.has_pipeline


async def test_the_services_of_a_worktree_share_the_state_and_have_a_pipeline_of_their_own(
    services: TempServices, tmp_path: Path
) -> None:
    (tmp_path / "apart").mkdir()
    async with services.open() as sessions:
        own = sessions._services
        apart = own.apart(Workspace((tmp_path / "apart",)), own.ports)
        assert apart.workspace.roots == (tmp_path / "apart",)
        assert apart.journal is own.journal
        assert apart.change_sets is own.change_sets
        assert apart.notices is own.notices
        assert apart.sandboxes is own.sandboxes
        assert apart.pipeline is not own.pipeline
        assert apart.undo is not own.undo
