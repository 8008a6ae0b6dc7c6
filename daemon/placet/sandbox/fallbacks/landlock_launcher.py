"""Launcher of a command inside Landlock: lays the rules and the filter around itself, and becomes the command.

Runs as a script by `python -I -S` with the standard library alone, as a start has to be short. The daemon has threads,
so nothing of this may happen between its fork and exec. The words come from landlock.py:

    STATUS FILES NETWORK SCOPES FILTER PORTS [RIGHTS PATH]... -- COMMAND...

STATUS is the descriptor to which the reason goes where the command was not started, or -1 for stderr; FILES, NETWORK
and SCOPES are the rights that Landlock holds; FILTER is the program for seccomp in hexadecimal, or `-`; PORTS are the
TCP ports to connect to, with commas.
"""

import ctypes
import os
import stat
import struct
import sys
import warnings  # noqa: F401 # pyright: ignore[reportUnusedImport] - os.execvp loads the module

SET_UP_FAILED = 125
"""Exit code of the launcher where the command was not started."""

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PATH_RULE, _PORT_RULE = 1, 2
_CONNECT_TCP = 2
# Rights that a file can have; the others are rights of directories.
_OF_FILES = 0x1 | 0x2 | 0x4 | 0x4000 | 0x8000 | 0x10000
_WRITE_AND_TRUNCATE = 0x2 | 0x4000
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _PR_CAPBSET_DROP, _PR_CAP_AMBIENT = 38, 22, 24, 47
_SECCOMP_MODE_FILTER, _PR_CAP_AMBIENT_CLEAR_ALL = 2, 4
_CAPABILITIES, _CAPABILITY_VERSION = 64, 0x20080522
_CLOSE_RANGE, _LAST_DESCRIPTOR, _CLOSE_ON_EXEC = 436, 0xFFFFFFFF, 4

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def main(words: list[str]) -> None:
    status, files, network, scopes, program, ports, *rest = words
    separator = rest.index("--")
    rules, command = rest[:separator], rest[separator + 1 :]
    try:
        _check("no_new_privs", _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        _lay_landlock(int(files), int(network), int(scopes), ports, rules)
        _drop_capabilities()
        if program != "-":
            _lay_filter(bytes.fromhex(program))
        # Only the streams reach the command; the status stays open until the command has started.
        _system_call("descriptors", _CLOSE_RANGE, 3, _LAST_DESCRIPTOR, _CLOSE_ON_EXEC)
        os.execvp(command[0], command)  # noqa: S606
    except OSError as error:
        os.write(int(status) if int(status) >= 0 else 2, f"{error}\n".encode())
        os._exit(SET_UP_FAILED)


def _drop_capabilities() -> None:
    """Leave root without its powers, as bubblewrap does; for other users the calls change nothing."""
    for capability in range(_CAPABILITIES):
        _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    _libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    _check("capabilities", _libc.capset(struct.pack("=Ii", _CAPABILITY_VERSION, 0), bytes(24)))


def _lay_landlock(files: int, network: int, scopes: int, ports: str, rules: list[str]) -> None:
    # Older kernels take the longer attributes too, as long as the fields unknown to them are zero.
    attributes = struct.pack("=QQQ", files, network, scopes)
    ruleset = _system_call("Landlock", _CREATE_RULESET, attributes, len(attributes), 0)
    for rights, path in zip(rules[::2], rules[1::2], strict=True):
        _allow_path(ruleset, int(rights), path)
    # A script writes to `/dev/stderr` by opening the file of the stream anew.
    for stream in (1, 2):
        if stat.S_ISREG(os.fstat(stream).st_mode):
            _add_path(ruleset, _WRITE_AND_TRUNCATE & files, stream, "stream")
    for port in filter(None, ports.split(",")):
        _system_call("port", _ADD_RULE, ruleset, _PORT_RULE, struct.pack("=QQ", _CONNECT_TCP, int(port)), 0)
    _system_call("Landlock", _RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _allow_path(ruleset: int, rights: int, path: str) -> None:
    """Add the rights to a path; a path that has gone since the rules were made needs none."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, PermissionError, NotADirectoryError):
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_FILES
        if rights:
            _add_path(ruleset, rights, descriptor, path)
    finally:
        os.close(descriptor)


def _add_path(ruleset: int, rights: int, descriptor: int, purpose: str) -> None:
    _system_call(purpose, _ADD_RULE, ruleset, _PATH_RULE, struct.pack("=Qi", rights, descriptor), 0)


def _lay_filter(program: bytes) -> None:
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    _check("seccomp", _libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, header, 0, 0))


def _system_call(purpose: str, number: int, *arguments: int | bytes) -> int:
    values = [ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments]
    return _check(purpose, _libc.syscall(ctypes.c_long(number), *values))


def _check(purpose: str, result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), purpose)
    return result


if __name__ == "__main__":
    main(sys.argv[1:])
