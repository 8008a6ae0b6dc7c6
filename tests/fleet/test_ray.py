"""`placet fleet --on ray` on a cluster of two nodes on this machine. Skipped where Ray is not installed."""

import os
import secrets
import signal
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest

from fleet_support import Fleet
from process_support import has_ended
from run_support import Place, Terminal

# The ports of Ray are open to the network; Ray reads the variables in its import.
os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
RAY = pytest.importorskip("ray.cluster_utils", reason="Ray is not installed (placet[ray]): no test of a fleet on Ray")

KEY = "sk-abcdefghijklmnopqrstuvwxyz012345"
TASKS = int(os.environ.get("PLACET_FLEET_TASKS", "8"))
"""Number of tasks of the test with kills; the acceptance was with 200."""
LONGEST = 240 + 5 * TASKS
"""Longest time that a test waits for a state, in seconds."""


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return Fleet(tmp_path)


@pytest.fixture
def cluster(fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> Generator[Any]:
    """Two raylets on this machine, with the home of the fleet."""
    for name in ("DATA", "CONFIG", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(fleet.directory / name))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    node = {"num_cpus": 1, "object_store_memory": 80 * 1024 * 1024}
    cluster = RAY.Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    cluster.add_node(**node)
    yield cluster
    cluster.shutdown()


def until(holds: Callable[[], object]) -> None:
    """Wait for a state outside of this process, which nothing tells of."""
    deadline = time.monotonic() + LONGEST
    while not holds():
        assert time.monotonic() < deadline, "this never came to be"
        time.sleep(0.05)


def turns(fleet: Fleet, *names: str) -> list[psutil.Process]:
    """The processes `placet run` of the fleet, on either node; with names, of the tasks with these scripts alone."""
    scripts = {f"scripted/{fleet.directory / name}.json" for name in names}
    found = []
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
        except psutil.Error:
            continue
        is_turn = "run" in words and "--json" in words and str(fleet.directory) in " ".join(words)
        if is_turn and (not names or scripts & set(words)):
            found.append(process)
    return found


def ended_turns(fleet: Fleet) -> Counter[str]:
    """How often the turn of a task came to its own end, by the folder of the clone: all nodes share a store here."""
    store = sqlite3.connect(fleet.directory / "DATA" / "placet" / "placet.db")
    rows = store.execute(
        "SELECT roots FROM session JOIN message ON session_id = session.id"
        " WHERE json_extract(body, '$.stopReason') = 'end_turn'"
    )
    with closing(store):
        return Counter(roots for (roots,) in rows)


def test_two_nodes_do_all_tasks_as_the_local_pool_does(fleet: Fleet, cluster: Any) -> None:
    fleet.write(*(fleet.task(f"t{number}", check=f"grep -q t{number} a.txt") for number in range(4)))
    done = fleet.run("--on", f"ray://{cluster.address}")
    assert done.returncode == 0, done.stderr
    patches = {result.id: fleet.patch(result.id) for result in fleet.results()}
    assert {result.solved for result in fleet.results()} == {True}
    fleet.output = fleet.directory / "local"
    assert fleet.run().returncode == 0
    assert patches == {result.id: fleet.patch(result.id) for result in fleet.results()}
    assert len(patches) == 4


def test_an_address_without_a_cluster_is_refused_at_once(fleet: Fleet) -> None:
    fleet.write(fleet.task("one"))
    refused = fleet.run("--on", "ray://127.0.0.1:1")
    assert refused.returncode == 2
    assert refused.stderr == "placet: No cluster of Ray at 127.0.0.1:1: Connection refused\n"


@pytest.mark.timeout(LONGEST + 300)
def test_killed_worker_driver_and_node_leave_one_result_for_each_task(fleet: Fleet, cluster: Any) -> None:
    def waiting(name: str, go: Path) -> dict[str, Any]:
        return fleet.task(name, model=fleet.edits(name, name, {"wait_for_file": str(go)}))

    first, second = fleet.directory / "go1", fleet.directory / "go2"
    others = [fleet.task(f"t{number}") for number in range(TASKS - 4)]
    tasks = [waiting("w0", first), waiting("w1", first), *others[::2], waiting("w2", second), waiting("w3", second)]
    tasks += others[1::2]
    fleet.write(*tasks)
    driver = fleet.start("--on", f"ray://{cluster.address}")
    until(lambda: len(turns(fleet)) == 2)
    victim, *_ = turns(fleet)
    worker = victim.parent()
    assert worker is not None
    os.kill(worker.pid, signal.SIGKILL)
    until(lambda: has_ended(victim.pid))
    until(lambda: len(turns(fleet)) == 2)
    left = turns(fleet)
    driver.kill()
    driver.communicate()
    until(lambda: all(has_ended(turn.pid) for turn in left))
    first.touch()
    again = fleet.start("--on", f"ray://{cluster.address}")
    until(lambda: len(turns(fleet, "w2", "w3")) == 2)  # One on each node.
    left = turns(fleet, "w2", "w3")
    cluster.remove_node(cluster.worker_nodes.copy().pop(), allow_graceful=False)
    until(lambda: not all(turn.is_running() for turn in left))
    second.touch()
    _, errors = again.communicate()
    assert again.returncode == 0, errors
    assert sorted(result.id for result in fleet.results()) == sorted(task["id"] for task in tasks)
    assert {result.status for result in fleet.results()} == {"done"}
    assert len(ended_turns(fleet)) == len(tasks)
    assert set(ended_turns(fleet).values()) == {1}
    patches = {task["id"]: fleet.patch(task["id"]) for task in tasks}
    assert all(f"+{task_id}\n" in patch for task_id, patch in patches.items())
    fleet.output = fleet.directory / "local"
    assert fleet.run("--workers", "2").returncode == 0
    assert patches == {task["id"]: fleet.patch(task["id"]) for task in tasks}


def test_a_ray_of_its_own_has_no_key_of_the_environment_in_processes_and_logs(fleet: Fleet) -> None:
    go = fleet.directory / "go"
    with tempfile.TemporaryDirectory(prefix="ray-") as directory:  # The names of Ray's sockets must be short.
        another = {"RAY_ADDRESS": "127.0.0.1:1"}
        fleet.environment |= {"OPENAI_API_KEY": KEY, "RAY_TMPDIR": directory, "RAY_USAGE_STATS_ENABLED": "0", **another}
        fleet.write(fleet.task("one", model=fleet.edits("one", "one", {"wait_for_file": str(go)})))
        (fleet.directory / "place").mkdir()
        place = Place(fleet.directory / "place")
        place.environment = fleet.environment
        command = ("fleet", "run", str(fleet.file), "-o", str(fleet.output), "--on", "ray", "--workers", "1")
        terminal = Terminal(place, *command, knows_cwd=False)
        until(lambda: turns(fleet))
        processes = psutil.Process(terminal.process.pid).children(recursive=True)
        servers = [process.environ() for process in processes if process.name() in ("raylet", "gcs_server")]
        environments = [process.environ() for process in processes if process.is_running()]
        go.touch()
        assert terminal.end() == 0, terminal.shown
        logs = [file for file in Path(directory).rglob("*") if file.is_file()]
        contents = b"".join(log.read_bytes() for log in logs)
    assert "1 of 1 task, 1 done" in terminal.shown
    assert "\ufffd" not in terminal.shown
    assert len(servers) == 2
    assert [server["RAY_AUTH_MODE"] for server in servers] == ["token", "token"]
    assert servers[0]["RAY_AUTH_TOKEN"] == servers[1]["RAY_AUTH_TOKEN"] != os.environ["RAY_AUTH_TOKEN"]
    assert all(KEY not in environment.values() for environment in environments)
    assert b"raylet" in contents
    assert KEY.encode() not in contents
