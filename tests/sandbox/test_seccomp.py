"""The filter of system calls: read by an interpreter of classic BPF, and laid around real programs by bubblewrap."""

import ctypes
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import examples
from placet.sandbox.seccomp import MACHINES, Sockets, filter_program

ALLOW, KILL = 0x7FFF0000, 0x80000000
EPERM, ENOSYS = 0x00050001, 0x00050026
X32 = 0x40000000

DENIED = {
    "add_key", "request_key", "keyctl", "io_uring_setup", "io_uring_enter", "io_uring_register", "bpf",
    "perf_event_open", "userfaultfd", "mount", "umount2", "pivot_root", "open_tree", "move_mount", "fsopen",
    "fsconfig", "fsmount", "fspick", "mount_setattr", "open_tree_attr", "setns", "open_by_handle_at", "init_module",
    "finit_module", "delete_module", "kexec_load", "kexec_file_load",
}  # fmt: skip
TRACING = {"ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp"}

machines = pytest.mark.parametrize("machine", MACHINES)


def verdict(program: bytes, number: int, *arguments: int, audit: int) -> int:
    """Run the filter as the kernel does, and return its verdict."""
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number, audit, 0, *padded)
    steps = list(struct.iter_unpack("=HBBI", program))
    loaded = place = 0
    while True:
        code, yes, no, value = steps[place]
        place += 1
        match code:
            case 0x20:
                assert value % 4 == 0
                (loaded,) = struct.unpack_from("=I", data, value)
            case 0x54:
                loaded &= value
            case 0x15:
                place += yes if loaded == value else no
            case 0x35:
                place += yes if loaded >= value else no
            case 0x45:
                place += yes if loaded & value else no
            case 0x06:
                return value
            case _:
                raise AssertionError(code)


def judge(machine: str, name: str | int, *arguments: int, program: bytes | None = None) -> int:
    numbers = MACHINES[machine].numbers
    program = program or filter_program(machine, may_trace=False)
    assert program
    number = numbers[name] if isinstance(name, str) else name
    return verdict(program, number, *arguments, audit=MACHINES[machine].audit)


@machines
@pytest.mark.parametrize("name", sorted(DENIED))
def test_a_dangerous_call_is_denied_whatever_the_command_may(machine: str, name: str) -> None:
    widest = filter_program(machine, may_trace=True, may_make_namespaces=True)
    assert judge(machine, name) == judge(machine, name, program=widest) == EPERM


@machines
@pytest.mark.parametrize("name", sorted(TRACING))
def test_tracing_is_denied_unless_the_command_has_processes_of_its_own(machine: str, name: str) -> None:
    tracing = filter_program(machine, may_trace=True)
    assert judge(machine, name) == EPERM
    assert judge(machine, name, program=tracing) == ALLOW


@machines
@settings(max_examples=examples(100))
@given(number=st.integers(0, X32 - 1), arguments=st.lists(st.integers(0, 2**64 - 1), max_size=6))
def test_a_call_outside_of_the_table_is_allowed(machine: str, number: int, arguments: list[int]) -> None:
    is_named = number in MACHINES[machine].numbers.values()
    assert is_named or judge(machine, number, *arguments) == ALLOW


@machines
def test_every_call_of_a_small_number_outside_of_the_table_is_allowed(machine: str) -> None:
    named = set(MACHINES[machine].numbers.values())
    assert {judge(machine, number) for number in range(1000) if number not in named} == {ALLOW}


@machines
@settings(max_examples=examples(100))
@given(high=st.integers(0, 2**32 - 1), request=st.integers(0, 2**32 - 1))
def test_only_requests_that_type_into_a_terminal_are_denied(machine: str, high: int, request: int) -> None:
    """The kernel reads the lower half of the request, so bits above it hide nothing."""
    assert judge(machine, "ioctl", 0, high << 32 | request) == (EPERM if request in (0x5412, 0x541C) else ALLOW)
    assert judge(machine, "ioctl", 0, high << 32 | 0x5412) == EPERM
    assert judge(machine, "ioctl", 0, high << 32 | 0x541C) == EPERM
    assert judge(machine, "ioctl", 0x5412, 0) == ALLOW


@machines
@pytest.mark.parametrize("call", ["socket", "socketpair"])
@pytest.mark.parametrize(("sockets", "families"), [("ordinary", {1, 2, 10, 16}), ("local", {1})])
@settings(max_examples=examples(100))
@given(high=st.integers(0, 2**32 - 1), family=st.integers(0, 50))
def test_a_socket_is_of_a_family_of_the_list(
    machine: str, call: str, sockets: Sockets, families: set[int], high: int, family: int
) -> None:
    program = filter_program(machine, may_trace=False, sockets=sockets)
    expected = ALLOW if family in families else EPERM
    assert judge(machine, call, high << 32 | family, program=program) == expected


@machines
@pytest.mark.parametrize("call", ["socket", "socketpair"])
@settings(max_examples=examples(100))
@given(family=st.integers(0, 50), flags=st.sampled_from([0, 0o4000, 0o2000000]), data=st.data())
def test_the_only_network_of_a_command_can_be_tcp(
    machine: str, call: str, family: int, flags: int, data: st.DataObject
) -> None:
    """Neither UDP, nor MPTCP (262) or SCTP (132), which Landlock's rules for ports do not hold."""
    kind = data.draw(st.integers(0, 10))
    protocol = data.draw(st.sampled_from([0, 1, 6, 17, 132, 262]))
    program = filter_program(machine, may_trace=False, sockets="tcp")
    is_tcp = family in (2, 10) and kind == 1 and protocol in (0, 6)
    expected = ALLOW if family == 1 or is_tcp else EPERM
    assert judge(machine, call, family, kind | flags, protocol, program=program) == expected


@machines
@pytest.mark.parametrize(("call", "index"), [("sendto", 3), ("sendmsg", 2), ("sendmmsg", 3)])
@settings(max_examples=examples(100))
@given(flags=st.integers(0, 2**32 - 1))
def test_no_packet_connects_past_the_rules_of_landlock(machine: str, call: str, index: int, flags: int) -> None:
    program = filter_program(machine, may_trace=False, sockets="tcp")
    arguments = [0] * index + [flags]
    assert judge(machine, call, *arguments, program=program) == (EPERM if flags & 0x20000000 else ALLOW)
    assert judge(machine, call, *arguments) == ALLOW


@machines
@settings(max_examples=examples(100))
@given(signal=st.integers(0, 255), bit=st.sampled_from([17, *range(25, 31)]))
def test_no_process_is_started_in_a_namespace_of_its_own(machine: str, signal: int, bit: int) -> None:
    free = filter_program(machine, may_trace=False, may_make_namespaces=True)
    threads = 0x3D0F00
    assert judge(machine, "clone", threads | signal) == ALLOW
    assert judge(machine, "clone", threads | signal | 1 << bit) == EPERM
    assert judge(machine, "clone", threads | signal | 1 << bit, program=free) == ALLOW
    assert judge(machine, "unshare", 1 << bit) == judge(machine, "unshare", 0x80) == EPERM
    assert judge(machine, "unshare", 0x400) == ALLOW


@machines
def test_a_call_with_flags_out_of_sight_is_missing_where_namespaces_are_denied(machine: str) -> None:
    free = filter_program(machine, may_trace=False, may_make_namespaces=True)
    assert judge(machine, "clone3") == ENOSYS
    assert judge(machine, "clone3", program=free) == ALLOW


@machines
@settings(max_examples=examples(100))
@given(number=st.integers(0, 2**32 - 1), audit=st.integers(0, 2**32 - 1))
def test_another_architecture_ends_the_process(machine: str, number: int, audit: int) -> None:
    program = filter_program(machine, may_trace=True)
    assert program
    own = MACHINES[machine].audit
    assert audit == own or verdict(program, number, audit=audit) == KILL
    other = next(table.audit for name, table in MACHINES.items() if name != machine)
    assert verdict(program, number, audit=other) == KILL


@settings(max_examples=examples(100))
@given(number=st.integers(X32, 2**32 - 2))
def test_numbers_of_x32_are_denied(number: int) -> None:
    assert judge("x86_64", number) == EPERM
    assert judge("x86_64", 2**32 - 1) == ALLOW, "a tracer cancels a call by this number"


def test_a_machine_without_a_table_has_no_filter() -> None:
    assert filter_program("riscv64", may_trace=True) is None


def test_without_a_name_the_filter_is_of_this_machine() -> None:
    if os.uname().machine in MACHINES:
        assert filter_program(may_trace=True) == filter_program(os.uname().machine, may_trace=True)


@machines
@settings(max_examples=examples(100))
@given(number=st.integers(0, 2**32 - 1), arguments=st.lists(st.integers(0, 2**64 - 1), max_size=6))
def test_every_call_reaches_a_verdict_and_every_jump_goes_forward(
    machine: str, number: int, arguments: list[int]
) -> None:
    program = filter_program(machine, may_trace=False)
    assert program
    assert len(program) // 8 < 256, "a jump counts in one byte"
    assert verdict(program, number, *arguments, audit=MACHINES[machine].audit) in (ALLOW, EPERM, ENOSYS)


HEADERS = {
    "x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    "aarch64": "/usr/include/asm-generic/unistd.h",
}
NEWER = {"open_tree_attr"}
"""Calls that the headers of a distribution may lack."""


@machines
def test_the_numbers_are_those_of_the_headers_of_linux(machine: str) -> None:
    header = Path(HEADERS[machine])
    if not header.exists():
        pytest.skip("no headers of Linux here")
    numbers = dict(re.findall(r"^#define __NR_(\w+)\s+(\d+)", header.read_text(), re.MULTILINE))
    # aarch64's call by file handle is spelled over two lines.
    numbers.setdefault("open_by_handle_at", "265")
    ours = MACHINES[machine].numbers
    assert {name: int(numbers[name]) for name in ours if name not in NEWER} == {
        name: number for name, number in ours.items() if name not in NEWER
    }


# Around real programs.

BWRAP = shutil.which("bwrap")
needs_bwrap = pytest.mark.skipif(
    not BWRAP or filter_program(may_trace=True) is None, reason="needs bwrap and a table of this machine"
)
PROBE = """
import ctypes, ctypes.util, errno, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def call(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(argument) for argument in arguments])
    print("allowed" if result >= 0 else errno.errorcode[ctypes.get_errno()])
"""


def contained(script: str, *, filtered: bool = True, may_trace: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a script in bubblewrap, as root or as whoever runs the tests, with the filter or without."""
    assert BWRAP
    program = filter_program(may_trace=may_trace) if filtered else None
    reading, writing = os.pipe()
    os.write(writing, program or b"")
    os.close(writing)
    try:
        return subprocess.run(
            [
                BWRAP, "--unshare-user", "--unshare-pid", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev",
                "--proc", "/proc", *(("--seccomp", str(reading)) if program else ()),
                "--", sys.executable, "-I", "-S", "-c", PROBE + script,
            ],
            pass_fds=[reading], capture_output=True, text=True, check=False,
        )  # fmt: skip
    finally:
        os.close(reading)


def outcome(script: str, *, filtered: bool = True, may_trace: bool = True) -> list[str]:
    result = contained(script, filtered=filtered, may_trace=may_trace)
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


@needs_bwrap
def test_row_49_the_keyring_of_the_session_is_out_of_reach() -> None:
    numbers = MACHINES[os.uname().machine].numbers
    script = f"call({numbers['keyctl']}, 0, -3, 0)\ncall({numbers['add_key']}, 0, 0, 0, 0, -3)"
    assert outcome(script) == ["EPERM", "EPERM"]
    assert outcome(script, filtered=False) != ["EPERM", "EPERM"]


@needs_bwrap
def test_row_50_wide_entries_into_the_kernel_are_shut() -> None:
    numbers = MACHINES[os.uname().machine].numbers
    names = ("io_uring_setup", "bpf", "userfaultfd", "perf_event_open")
    script = "\n".join(f"call({numbers[name]}, 0, 0, 0, 0, 0)" for name in names)
    assert outcome(script) == ["EPERM"] * 4
    assert "EFAULT" in outcome(script, filtered=False)


@needs_bwrap
def test_row_51_nothing_is_typed_into_a_terminal() -> None:
    script = """
import fcntl, pty
master, slave = pty.openpty()
os.setsid()
fcntl.ioctl(slave, 0x540E, 0)
for request in (0x5412, 0x541C):
    try:
        fcntl.ioctl(slave, request, b"x")
        print("typed")
    except OSError as error:
        print(errno.errorcode[error.errno])
print(fcntl.ioctl(slave, 0x540F, b"0000") != b"")
"""
    assert outcome(script) == ["EPERM", "EPERM", "True"]


@needs_bwrap
def test_row_52_sockets_are_of_ordinary_families() -> None:
    script = """
for family in (1, 2, 10, 16, 40, 38, 17):
    try:
        socket.socket(family, socket.SOCK_DGRAM if family in (2, 10) else socket.SOCK_STREAM if family == 1 else 3)
        print("made")
    except OSError as error:
        print(errno.errorcode[error.errno])
"""
    assert outcome(script) == ["made"] * 4 + ["EPERM"] * 3


@needs_bwrap
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="only x86-64 has other tables of calls")
def test_row_57_other_tables_of_system_calls_are_shut() -> None:
    assert outcome(f"call({X32 + 39})") == ["EPERM"]
    old = """
import mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex("b814000000cd80c3"))
get_pid = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
print("answered", get_pid() > 0, flush=True)
"""
    result = contained(old)
    assert result.stdout == ""
    assert result.returncode in (128 + 31, 128 + 11), "a kernel without that table raises SIGSEGV"


@needs_bwrap
def test_no_namespace_is_made_inside() -> None:
    script = f"call({MACHINES[os.uname().machine].numbers['unshare']}, 0x10000000)"
    assert outcome(script) == ["EPERM"]
    assert outcome(script, filtered=False) == ["allowed"]


@needs_bwrap
def test_threads_and_processes_are_started_under_the_filter() -> None:
    """The C library falls back from `clone3` to `clone`."""
    script = """
import threading, subprocess
thread = threading.Thread(target=lambda: print("thread"))
thread.start(); thread.join()
print(subprocess.run(["/bin/sh", "-c", "echo child"], capture_output=True, text=True).stdout)
"""
    assert outcome(script) == ["thread", "child"]


@needs_bwrap
@pytest.mark.parametrize("may_trace", [True, False])
def test_a_debugger_traces_where_tracing_is_allowed(may_trace: bool) -> None:
    script = f"call({MACHINES[os.uname().machine].numbers['ptrace']}, 0, 0, 0, 0)"
    assert outcome(script, may_trace=may_trace) == ["allowed" if may_trace else "EPERM"]


def test_the_program_of_this_machine_is_taken_by_the_kernel(tmp_path: Path) -> None:
    program = filter_program(may_trace=True)
    if program is None:
        pytest.skip("no table of this machine")
    script = (
        PROBE
        + """
program = bytes.fromhex(sys.argv[1])
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]
steps = Program(len(program) // 8, program)
assert libc.prctl(38, 1, 0, 0, 0) == 0
print(libc.prctl(22, 2, ctypes.byref(steps), 0, 0))
"""
    )
    command = [sys.executable, "-I", "-S", "-c", script, program.hex()]
    assert subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout == "0\n"
    assert ctypes.sizeof(ctypes.c_long) == 8
