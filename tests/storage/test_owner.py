import subprocess
import sys

from placet.storage.owner import is_alive, this_process


def test_this_process_is_alive():
    assert is_alive(this_process())


def test_a_process_that_ended_is_not_alive():
    code = "from placet.storage.owner import this_process; print(this_process())"
    mark = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()

    assert not is_alive(mark)


def test_another_process_with_a_used_up_id_is_not_taken_for_the_first():
    number = this_process().partition(":")[0]

    assert not is_alive(f"{number}:1")


def test_nonsense_is_not_alive():
    assert not is_alive("")
    assert not is_alive("not a mark")
    assert not is_alive("0:0")
