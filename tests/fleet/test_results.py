"""Results of a fleet in a directory and at an fsspec address."""

import uuid
from pathlib import Path

import pytest

from placet.core.errors import RequestError
from placet.fleet.results import FleetOutput, Result


@pytest.fixture(params=["directory", "file", "memory"])
def output(request: pytest.FixtureRequest, tmp_path: Path) -> FleetOutput:
    match request.param:
        case "directory":
            return FleetOutput(str(tmp_path / "out"))
        case "file":
            return FleetOutput((tmp_path / "out").as_uri())
        case _:
            return FleetOutput(f"memory://{uuid.uuid4().hex}/run")


def test_the_first_result_of_a_task_stands(output: FleetOutput) -> None:
    assert output.result("one") is None
    assert output.save(Result(id="one", status="done", cost=0.5), b"patch")
    assert not output.save(Result(id="one", status="limit"), b"other")
    kept = output.result("one")
    assert kept is not None
    assert (kept.status, kept.cost, output.patch("one")) == ("done", 0.5, b"patch")


def test_a_forgotten_task_may_have_another_result(output: FleetOutput) -> None:
    output.save(Result(id="one", status="place"), b"")
    output.forget("one")
    output.forget("one")
    assert list(output.results()) == []
    assert output.save(Result(id="one", status="done"), b"")


def test_all_results_are_collected_in_one_file(output: FleetOutput) -> None:
    for name in ("b", "a"):
        output.save(Result(id=name, status="done"), b"")
    output.save_tasks("{}\n")
    output.collect()
    assert [result.id for result in output.results()] == ["a", "b"]
    assert output.tasks() == "{}\n"


def test_a_result_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    output = FleetOutput(str(tmp_path))
    output.save(Result(id="one", status="done"), b"")
    (tmp_path / "results" / ".placet-abc").write_text('{"id": "tw')  # As a killed worker leaves it.
    assert [result.id for result in output.results()] == ["one"]


def test_a_file_of_something_else_is_named(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "one.json").write_text("[]")
    with pytest.raises(RequestError, match=r"results/one\.json is no result"):
        FleetOutput(str(tmp_path)).result("one")


def test_the_address_of_a_directory_holds_for_workers_anywhere() -> None:
    assert FleetOutput("out").address == str(Path("out").absolute())


def test_an_address_without_its_library_is_refused() -> None:
    with pytest.raises(RequestError, match="cannot be opened"):
        FleetOutput("no-such-store://bucket")
