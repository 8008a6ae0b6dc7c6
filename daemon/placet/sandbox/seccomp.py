"""System calls that no contained command may make, as a program of classic BPF for seccomp.

The kernel runs the program before each system call of the command and of all descendants of the command. A denied
call fails with EPERM; every call that the program does not name is allowed.
https://docs.kernel.org/userspace-api/seccomp_filter.html
"""

import platform
import struct
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal

from msgspec import Struct

Sockets = Literal["ordinary", "tcp", "local"]
"""`ordinary`: families UNIX, INET, INET6 and NETLINK; `tcp`: UNIX, and TCP over INET and INET6, without data in the
first packet, since Landlock holds `connect` alone; `local`: UNIX."""


class Machine(Struct, frozen=True):
    """Processor architecture, with the numbers of Linux for the architecture and for its system calls."""

    audit: int
    numbers: Mapping[str, int]
    has_x32: bool = False
    """Whether a bit of the call's number selects a second table of system calls."""


# Calls of every contained command. The first number is of x86-64, the second of aarch64.
_DENIED = {
    # Keys of the user's session, which no namespace separates.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # Wide entries into the kernel.
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    # Mounts and namespaces.
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    # The kernel itself.
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
}
# Calls that reach into other processes: harmless where all processes in sight are contained.
_TRACING = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
}
# Calls that are judged by an argument.
_JUDGED = {
    "ioctl": (16, 29),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "sendto": (44, 206),
    "sendmsg": (46, 211),
    "sendmmsg": (307, 269),
    "clone": (56, 220),
    "unshare": (272, 97),
    "clone3": (435, 435),
}
_TABLE = _DENIED | _TRACING | _JUDGED

MACHINES: Mapping[str, Machine] = {
    "x86_64": Machine(0xC000003E, {name: numbers[0] for name, numbers in _TABLE.items()}, has_x32=True),
    "aarch64": Machine(0xC00000B7, {name: numbers[1] for name, numbers in _TABLE.items()}),
}

_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16
_SOCKET_CALLS = ("socket", "socketpair")
_STREAM, _TYPE_BITS = 1, 0xF
_DEFAULT_PROTOCOL, _TCP = 0, 6
_FAST_OPEN = 0x20000000
# Calls that take MSG_FASTOPEN, with the index of the argument of flags.
_SENDING = {"sendto": 3, "sendmsg": 2, "sendmmsg": 3}
# Requests that put text into the input of a terminal.
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET; CLONE_NEWTIME lies among the bits in which clone
# has a signal, and only unshare takes it.
_NAMESPACES = 0x7E020000
_TIME_NAMESPACE = 0x80
_X32 = 0x40000000
# A tracer that cancels a call sets the number to -1.
_CANCELLED = 0xFFFFFFFF

_LOAD, _AND, _EQUAL, _AT_LEAST, _HAS_BITS, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE = 0, 4
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_ERRNO = 0x00050000
_EPERM, _ENOSYS = _ERRNO | 1, _ERRNO | 38


class _Instruction(Struct, frozen=True):
    """One instruction of classic BPF; `yes` and `no` count the instructions that a jump passes over."""

    code: int
    value: int
    yes: int = 0
    no: int = 0


@cache
def filter_program(
    machine: str | None = None,
    *,
    may_trace: bool,
    may_make_namespaces: bool = False,
    sockets: Sockets = "ordinary",
) -> bytes | None:
    """Return the filter for `seccomp` of the named architecture (this machine's by default), or None without a table.

    Tracing is for commands in a PID namespace of their own. Where namespaces are denied, `clone3` is said to be
    missing, since no filter can read the flags behind its pointer: the C libraries then call `clone`.
    """
    target = MACHINES.get(machine or platform.machine())
    if target is None:
        return None
    program = [
        *_only_this_architecture(target),
        *_argument_denied(target.numbers["ioctl"], 1, (_TIOCSTI, _TIOCLINUX)),
        *_sockets_limited(target.numbers, sockets),
    ]
    if not may_make_namespaces:
        program += _bits_denied(target.numbers["clone"], _NAMESPACES)
        program += _bits_denied(target.numbers["unshare"], _NAMESPACES | _TIME_NAMESPACE)
        program += [_Instruction(_EQUAL, target.numbers["clone3"], no=1), _Instruction(_RETURN, _ENOSYS)]
    denied = [*_DENIED, *(() if may_trace else _TRACING)]
    program += _membership([target.numbers[name] for name in denied], member=_EPERM, other=_ALLOW)
    return b"".join(struct.pack("=HBBI", step.code, step.yes, step.no, step.value) for step in program)


def _only_this_architecture(machine: Machine) -> list[_Instruction]:
    """End a process that calls by another architecture's table, and leave the call's number loaded."""
    x32 = [
        _Instruction(_EQUAL, _CANCELLED, yes=2),
        _Instruction(_AT_LEAST, _X32, no=1),
        _Instruction(_RETURN, _EPERM),
    ]
    return [
        _Instruction(_LOAD, _ARCHITECTURE),
        _Instruction(_EQUAL, machine.audit, yes=1),
        _Instruction(_RETURN, _KILL),
        _Instruction(_LOAD, _NUMBER),
        *(x32 if machine.has_x32 else ()),
    ]


def _argument_denied(number: int, index: int, values: Sequence[int]) -> list[_Instruction]:
    return _for_call(number, [_load_argument(index), *_membership(values, member=_EPERM, other=_ALLOW)])


def _sockets_limited(numbers: Mapping[str, int], sockets: Sockets) -> list[_Instruction]:
    match sockets:
        case "ordinary":
            families = [_UNIX, _INET, _INET6, _NETLINK]
            return [step for name in _SOCKET_CALLS for step in _argument_required(numbers[name], 0, families)]
        case "local":
            return [step for name in _SOCKET_CALLS for step in _argument_required(numbers[name], 0, [_UNIX])]
        case "tcp":
            limits = [step for name in _SOCKET_CALLS for step in _for_call(numbers[name], _only_tcp())]
            for name, index in _SENDING.items():
                limits += _bits_denied(numbers[name], _FAST_OPEN, index)
            return limits


def _only_tcp() -> list[_Instruction]:
    return [
        _load_argument(0),
        _Instruction(_EQUAL, _UNIX, no=1),
        _Instruction(_RETURN, _ALLOW),
        _Instruction(_EQUAL, _INET, yes=2),
        _Instruction(_EQUAL, _INET6, yes=1),
        _Instruction(_RETURN, _EPERM),
        _load_argument(1),
        _Instruction(_AND, _TYPE_BITS),
        _Instruction(_EQUAL, _STREAM, yes=1),
        _Instruction(_RETURN, _EPERM),
        _load_argument(2),
        *_membership([_DEFAULT_PROTOCOL, _TCP], member=_ALLOW, other=_EPERM),
    ]


def _argument_required(number: int, index: int, values: Sequence[int]) -> list[_Instruction]:
    return _for_call(number, [_load_argument(index), *_membership(values, member=_ALLOW, other=_EPERM)])


def _bits_denied(number: int, bits: int, index: int = 0) -> list[_Instruction]:
    test = [_Instruction(_HAS_BITS, bits, no=1), _Instruction(_RETURN, _EPERM), _Instruction(_RETURN, _ALLOW)]
    return _for_call(number, [_load_argument(index), *test])


def _for_call(number: int, steps: list[_Instruction]) -> list[_Instruction]:
    """Return steps for a single system call; the steps end in a verdict, and other calls pass over them."""
    return [_Instruction(_EQUAL, number, no=len(steps)), *steps]


def _load_argument(index: int) -> _Instruction:
    """Load the lower half of an argument, which is all that the kernel reads of these arguments."""
    return _Instruction(_LOAD, 16 + 8 * index)


def _membership(values: Sequence[int], *, member: int, other: int) -> list[_Instruction]:
    """Return a verdict for the loaded number by whether the number is among `values`."""
    tests = [_Instruction(_EQUAL, value, yes=len(values) - place) for place, value in enumerate(values)]
    return [*tests, _Instruction(_RETURN, other), _Instruction(_RETURN, member)]
