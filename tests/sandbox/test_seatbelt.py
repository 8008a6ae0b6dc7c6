"""Profiles for macOS as data: which rule is last for a path, and that no path is part of the text."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from placet.sandbox.containment import Containment, Network, opened
from placet.sandbox.fallbacks.seatbelt import Profile, Protections, sandbox_exec_words, seatbelt_profile

ROOT = Path("/Users/ada/project")
TEMPORARY = Path("/private/var/folders/xy/T/placet")
PROTECTIONS = Protections(
    paths=(ROOT / ".git/hooks", ROOT / ".git/config", ROOT / "pkg/deep/.git/config"), names=(".vscode", ".mcp.json")
)

Expression = Any
"""A word, a text, or a list of expressions."""


class Text(str):
    """A quoted text, apart from a word."""

    __slots__ = ()


def expressions(text: str) -> list[Expression]:
    """Read a profile as Scheme reads it; fails for text that is not balanced."""
    stack: list[list[Expression]] = [[]]
    for match in re.finditer(r'\s+|;[^\n]*|(\()|(\))|(#?)"((?:[^"\\]|\\.)*)"|([^\s()"]+)|(.)', text, re.DOTALL):
        opening, closing, _, quoted, word, rest = match.groups()
        assert rest is None, f"a quote is left open at {match.start()}"
        if opening:
            stack.append([])
        elif closing:
            ended = stack.pop()
            assert stack, "a parenthesis closes nothing"
            stack[-1].append(ended)
        elif quoted is not None:
            stack[-1].append(Text(quoted))
        elif word:
            stack[-1].append(word)
    assert len(stack) == 1, "a parenthesis is left open"
    return stack[0]


def matches(value: Expression, path: str, parameters: dict[str, str]) -> bool:
    """Return whether a filter on paths fits a path."""
    match value:
        case ["literal", *places]:
            return path in (evaluate(place, parameters) for place in places)
        case ["subpath", place]:
            parent = evaluate(place, parameters)
            return path == parent or path.startswith(f"{parent}/")
        case ["regex", pattern]:
            return re.search(evaluate(pattern, parameters), path) is not None
        case _:
            return False


def evaluate(value: Expression, parameters: dict[str, str]) -> str:
    match value:
        case Text():
            return value
        case ["param", name]:
            return parameters[name]
        case ["regex-quote", inner]:
            return re.escape(evaluate(inner, parameters))
        case ["string-append", *parts]:
            return "".join(evaluate(part, parameters) for part in parts)
        case _:
            raise AssertionError(value)


def allows(profile: Profile, operation: str, path: Path | str) -> bool:
    """Return the decision of the last rule for an operation that fits the path, as the kernel decides."""
    decision = False
    parameters = dict(profile.parameters)
    for action, *parts in expressions(profile.text):
        operations = [part for part in parts if isinstance(part, str) and not isinstance(part, Text)]
        filters = [part for part in parts if isinstance(part, list)]
        is_about = any(
            name == operation or (name.endswith("*") and operation.startswith(name[:-1])) for name in operations
        )
        if not is_about or action not in ("allow", "deny"):
            continue
        if not filters or any(matches(value, str(path), parameters) for value in filters):
            decision = action == "allow"
    return decision


def profile_of(
    *,
    writable: bool = True,
    unreadable: tuple[Path, ...] = (),
    network: Network = "off",
    sockets: tuple[Path, ...] = (),
    lifted: tuple[Path, ...] = (),
    protections: Protections = PROTECTIONS,
    proxy_port: int | None = None,
    root: Path = ROOT,
) -> Profile:
    containment = Containment(
        roots=(root,),
        writable=(root,) if writable else (),
        unreadable=unreadable,
        network=network,
        sockets=sockets,
        lifted=lifted,
    )
    return seatbelt_profile(containment, protections, (TEMPORARY,), proxy_port=proxy_port)


def test_only_the_project_and_temporary_directories_are_written() -> None:
    profile = profile_of()
    assert allows(profile, "file-write-data", ROOT / "src/a.py")
    assert allows(profile, "file-write-create", TEMPORARY / "a")
    assert allows(profile, "file-write-data", "/var/folders/xy/T/placet/a"), "the other spelling"
    for path in ("/Users/ada/.zshrc", "/etc/hosts", "/tmp/x", "/private/tmp/x", f"{ROOT}2/a"):
        assert not allows(profile, "file-write-data", path)
    assert allows(profile, "file-read-data", "/Users/ada/.zshrc")


def test_an_agent_that_only_reads_writes_no_file_of_the_project() -> None:
    profile = profile_of(writable=False)
    assert not allows(profile, "file-write-data", ROOT / "a")
    assert allows(profile, "file-write-data", TEMPORARY / "a")
    assert allows(profile, "file-write-data", "/dev/null")


@corpus(
    "path",
    [
        ".git/hooks/post-commit",
        ".git/hooks",
        ".git/config",
        "pkg/deep/.git/config",
        ".vscode/tasks.json",
        "pkg/new/.vscode/tasks.json",
        ".VSCode/tasks.json",
        "sub/.MCP.json",
    ],
)
def test_a_protected_path_is_read_only_also_where_it_is_missing(path: str) -> None:
    for operation in ("file-write-data", "file-write-create", "file-write-unlink", "file-write-mode"):
        assert not allows(profile_of(), operation, ROOT / path)
    assert allows(profile_of(), "file-read-data", ROOT / path)


@corpus("path", [".git/index", ".git/hooks2", ".vscode2/x", "a.vscode/x", "mcp.json", "x.mcp.json"])
def test_a_path_beside_a_protected_path_is_written(path: str) -> None:
    assert allows(profile_of(), "file-write-data", ROOT / path)


@corpus("path", [".git", "pkg", "pkg/deep", "pkg/deep/.git", "."])
def test_no_directory_above_a_protected_path_is_moved_away(path: str) -> None:
    assert not allows(profile_of(), "file-write-unlink", ROOT / path)
    assert allows(profile_of(), "file-write-create", ROOT / path / "new")
    assert allows(profile_of(), "file-write-unlink", ROOT / "src")


def test_a_project_below_a_directory_of_a_protected_name_is_written() -> None:
    root = Path("/Users/ada/.vscode/extension")
    assert allows(profile_of(root=root, protections=Protections(names=(".vscode",))), "file-write-data", root / "a")


def test_a_protection_that_the_user_lifted_is_open_for_the_call() -> None:
    profile = profile_of(lifted=(ROOT / ".git/config", Path("/Users/ada/.zshrc")))
    assert allows(profile, "file-write-data", ROOT / ".git/config")
    assert not allows(profile, "file-write-data", ROOT / ".git/hooks/x")
    assert not allows(profile, "file-write-data", "/Users/ada/.zshrc"), "only protections inside are lifted"


def test_a_secret_is_neither_read_nor_written() -> None:
    secrets = (Path("/Users/ada/.ssh"), ROOT / ".env")
    profile = profile_of(unreadable=secrets, lifted=(ROOT / ".env",))
    for path in (*secrets, secrets[0] / "id"):
        assert not allows(profile, "file-read-data", path)
        assert not allows(profile, "file-write-data", path)


def test_a_secret_that_the_user_opens_is_read_and_not_written() -> None:
    home = Path("/Users/ada")
    limits = opened(Containment((ROOT,), (ROOT,), unreadable=(home / ".ssh", home / ".netrc")), [home / ".ssh/id"])
    profile = seatbelt_profile(limits, Protections(), ())
    assert allows(profile, "file-read-data", home / ".ssh/id")
    for path in (home / ".ssh/other", home / ".netrc"):
        assert not allows(profile, "file-read-data", path)
    assert not allows(profile, "file-write-data", home / ".ssh/id")


def test_no_directory_with_a_secret_is_moved_to_where_the_secret_is_read() -> None:
    profile = profile_of(unreadable=(ROOT / "deep/er/.env",))
    assert not allows(profile, "file-write-unlink", ROOT / "deep/er")
    assert not allows(profile, "file-write-unlink", ROOT / "deep")
    assert allows(profile, "file-write-unlink", ROOT / "src")


def test_each_filter_has_one_value() -> None:
    """Filters with several values are not documented."""
    text = profile_of(network="ask", proxy_port=1, unreadable=(ROOT / ".env",), sockets=(TEMPORARY / "s",)).text
    for rule in expressions(text):
        for value in rule[1:]:
            assert isinstance(value, str) or value[0] in ("local", "remote") or len(value) == 2


def test_without_a_network_no_host_and_no_foreign_socket_is_reached() -> None:
    profile = profile_of(proxy_port=8080)
    assert "remote ip" not in profile.text
    assert "trustd" not in profile.text
    assert "network*" not in profile.text


def test_with_the_network_asked_only_the_port_of_the_proxy_is_reached() -> None:
    profile = profile_of(network="ask", proxy_port=8080)
    assert profile.text.count("remote ip") == 1
    assert '(remote ip "localhost:8080")' in profile.text
    assert "com.apple.trustd.agent" in profile.text
    assert "trustd" not in profile_of(network="ask").text, "no proxy, no host"


def test_an_open_network_has_no_limit() -> None:
    text = profile_of(network="allow").text
    assert "(allow network* system-socket)" in text
    assert "trustd" in text


def test_a_socket_is_reached_by_its_path() -> None:
    profile = profile_of(sockets=(Path("/private/tmp/agent.sock"),))
    (rule,) = [rule for rule in expressions(profile.text) if rule[:2] == ["allow", "network-outbound"]]
    assert {(side, kind) for side, kind, _ in rule[2:]} == {("remote", "unix-socket")}
    filters = [value for _, _, value in rule[2:]]
    for path, expected in [
        ("/private/tmp/agent.sock", True),
        ("/tmp/agent.sock", True),
        (f"{ROOT}/own.sock", True),
        ("/private/tmp/other.sock", False),
        ("/var/run/docker.sock", False),
    ]:
        assert any(matches(value, path, dict(profile.parameters)) for value in filters) is expected


@corpus(
    "service",
    ["appleevent", "launchservices", "SecurityServer", "securityd", "pasteboard", "windowserver", "launchd", "xpcd"],
)
@corpus("network", ["off", "ask", "allow"])
def test_no_service_that_acts_outside_is_in_reach(service: str, network: Network) -> None:
    assert service.lower() not in profile_of(network=network, proxy_port=1).text.lower()


hostile = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=12) | (
    st.sampled_from(
        ['")(allow default)', "(allow default)", "\n(allow default)\n", "PATH_0", '\\"', "-D", "a b", "';'"]
    )
)
hostile_paths = st.lists(hostile.filter(lambda name: name not in (".", "..")), min_size=1, max_size=3).map(
    lambda names: Path("/Users", *names)
)


@given(
    root=hostile_paths,
    secrets=st.lists(hostile_paths, max_size=3),
    protected=st.lists(hostile, max_size=3),
    network=st.sampled_from(["off", "ask", "allow"]),
)
def test_no_path_is_part_of_the_text(root: Path, secrets: list[Path], protected: list[str], network: Network) -> None:
    """The text has the same rules, whatever the names of the paths are."""
    profile = seatbelt_profile(
        Containment(roots=(root,), writable=(root,), unreadable=tuple(secrets), network=network),
        Protections(paths=tuple(root / name for name in protected if name not in (".", ".."))),
        (TEMPORARY,),
        proxy_port=8080,
    )
    expressions(profile.text)
    assert profile.text.isascii()
    assert profile.text.count("(allow default)") == 0
    assert profile.text.startswith("(version 1)\n(deny default)\n")
    assert set(re.findall(r'\(param "([^"]*)"\)', profile.text)) == {name for name, _ in profile.parameters}
    assert set(re.findall(r'"(/[^"]*)"', profile.text)) <= {
        "/dev/null", "/dev/zero", "/dev/tty", "/dev/ptmx", "/dev/dtracehelper", "/dev/fd",
    }  # fmt: skip
    assert not any(allows(profile, "file-read-data", secret) for secret in secrets)


@given(root=hostile_paths)
def test_each_parameter_is_a_word_of_its_own(root: Path) -> None:
    words = sandbox_exec_words(profile_of(root=root, protections=Protections()))
    assert words[:2] == ("/usr/bin/sandbox-exec", "-p")
    assert words[-1] == "--"
    definitions = words[3:-1]
    assert definitions[0] == f"-DPATH_0={root}"
    assert all(re.match(r"-DPATH_\d+=/", word) for word in definitions)


@corpus("name", ['"', "a b", "a*", "a)", "", "/a", "a\n"])
def test_a_name_that_could_write_a_rule_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="protected name"):
        profile_of(protections=Protections(names=(name,)))


def test_nothing_is_denied_or_allowed_where_no_path_is_named() -> None:
    """A rule without filters would be about every path."""
    profile = seatbelt_profile(Containment(roots=(), writable=()), Protections(), ())
    for rule in expressions(profile.text):
        if rule[0] == "deny":
            assert rule == ["deny", "default"]
    assert not allows(profile, "file-write-data", "/Users/ada/x")
