"""Words about the sandbox of a machine, and the command that the user types next."""

import platform

import pytest

from placet.sandbox.diagnosis import System, advice, namespaces_in_words, next_step, read_system, summary
from placet.sandbox.preflight import Backend, Bubblewrap

MISSING = Backend("none", "none", "bubblewrap (bwrap) is not installed")
BARRED = Backend("none", "none", "bubblewrap cannot make its namespaces here")
FULL = Backend("bubblewrap", "full", "", Bubblewrap("/usr/bin/bwrap", (0, 11, 0)))
PARTIAL = Backend("bubblewrap", "partial", "no /proc of its own", Bubblewrap("/usr/bin/bwrap", (0, 8)))


@pytest.mark.parametrize(
    ("backend", "line"),
    [
        (FULL, "bubblewrap 0.11.0, full"),
        (PARTIAL, "bubblewrap 0.8, partial: no /proc of its own"),
        (MISSING, "none: bubblewrap (bwrap) is not installed"),
    ],
)
def test_the_summary_is_a_line_with_the_level_and_the_reason(backend: Backend, line: str) -> None:
    assert summary(backend) == line


@pytest.mark.skipif(platform.system() != "Linux", reason="the steps are those of Linux")
@pytest.mark.parametrize(
    ("backend", "system", "step"),
    [
        (FULL, System("6.1"), ""),
        (MISSING, System("6.1", distribution=("ubuntu", "debian")), "sudo apt install bubblewrap"),
        (MISSING, System("6.1", distribution=("rocky", "rhel", "fedora")), "sudo dnf install bubblewrap"),
        (MISSING, System("6.1", distribution=("odd",)), "Install the package bubblewrap"),
        (BARRED, System("6.8", namespaces="apparmor"), "sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict"),
        (BARRED, System("6.8", namespaces="max"), "sudo sysctl user.max_user_namespaces="),
        (BARRED, System("6.8", namespaces="clone"), "sudo sysctl kernel.unprivileged_userns_clone=1"),
        (PARTIAL, System("6.8", container="Docker"), "Placet runs in Docker: start the container with `--security-opt"),
        (BARRED, System("6.8"), "placet sandbox test"),
    ],
)
def test_the_next_step_names_the_command_of_the_system(backend: Backend, system: System, step: str) -> None:
    assert step in next_step(backend, system)
    assert bool(step) == bool(next_step(backend, system))


@pytest.mark.skipif(platform.system() != "Linux", reason="the steps are those of Linux")
def test_the_advice_has_the_reason_and_the_next_step_and_a_full_sandbox_needs_none() -> None:
    landlock = Backend("landlock", "partial", "bubblewrap (bwrap) is not installed; under Landlock other processes")

    assert advice(FULL, System("6.1")) == ""
    assert advice(MISSING, System("6.1", distribution=("debian",))) == (
        "Commands run without a sandbox: bubblewrap (bwrap) is not installed. An allowed command has your own rights, "
        "and Placet asks about the others. Run `sudo apt install bubblewrap`. `placet doctor` says more."
    )
    assert advice(landlock, System("6.1", distribution=("debian",))) == (
        "The sandbox holds commands only in part: bubblewrap (bwrap) is not installed. Placet asks about commands that "
        "a whole sandbox would run unasked. Run `sudo apt install bubblewrap`. `placet doctor` says more."
    )


def test_each_limit_on_namespaces_has_words() -> None:
    words = {namespaces_in_words(System("6.1", namespaces=limit)) for limit in ("", "max", "clone", "apparmor")}
    assert len(words) == 4


@pytest.mark.skipif(platform.system() != "Linux", reason="reads the files of Linux")
def test_the_facts_of_this_system_can_be_read() -> None:
    system = read_system()
    assert system.kernel == platform.release()
    assert system.namespaces in ("", "max", "clone", "apparmor")
