"""What options of programs do past a rule that allows the programs: run code, read other files, write files."""

from pathlib import Path

import pytest

from corpus_support import corpus
from placet.permissions.rules import Rule
from placet.permissions.shell import analyse
from placet.permissions.shell.offers import NOT_OFFERED, reason_against
from placet.permissions.shell.programs.git_options import BELIEVED
from placet.permissions.shell.programs.launchers import WRAPPERS
from placet.permissions.shell.programs.reading import PROVED
from placet.tools.shell.permission import offered
from shell_support.asking import allowing, asked_about

HERE = Path(__file__).parent
PROGRAMS = """
    7z ag awk bash bun cargo cmake cp curl dc dd deno du echo env fd file find gawk gcc git go grep iconv javac jq julia
    lua m4 make man mysql node npm perl php psql python3 rg Rscript rsync ruby sed sh shuf sort split sqlite3
    strings sudo tar tee tr tsx uniq uv wc wget xargs xz yq zip zsh
"""
BELIEVED_PROGRAMS = (*PROVED, *WRAPPERS, *(f"git {name}" for name in BELIEVED))
ALLOWED = allowing(*(f"{program} *" for program in PROGRAMS.split()))


def entries(name: str) -> list[str]:
    return [entry.strip("\n") for entry in (HERE / name).read_text("utf-8").split("\n\n") if entry.strip()]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workspace")


def asked_of(line: str, workspace: Path, extra: tuple[Rule, ...] = ()) -> list[str]:
    """Return what is asked about a line where every program of the tests has a rule."""
    return asked_about(line, workspace, (*ALLOWED, *extra))


@corpus("line", entries("code_by_option.txt"))
def test_a_rule_for_a_program_does_not_vouch_for_code_in_its_options(line: str, workspace: Path) -> None:
    assert any(pattern.startswith("unproved: ") for pattern in asked_of(line, workspace))


@corpus("line", entries("files_by_option.txt"))
def test_a_rule_for_a_program_does_not_vouch_for_files_outside_or_named_in_files(line: str, workspace: Path) -> None:
    assert asked_of(line, workspace)


@corpus("line", entries("writes_by_option.txt"))
def test_a_file_that_an_option_writes_is_asked_for(line: str, workspace: Path) -> None:
    asked = asked_of(line, workspace)
    assert any(pattern.startswith(("> ", "unproved: ")) for pattern in asked)


@corpus(
    "line",
    [
        "grep -rn /api/users src",
        "grep -e /api/users src",
        "rg -n /api src",
        "rg -e/api -e /x src",
        "rg --files -g '*.py'",
        "sed -n '/^## /,/^# /p' README.md",
        "sed 's/[[:space:]]*$//; /^$/d' f",
        "sed -E ':a;N;$!ba;s/\\n/ /g' f",
        "sed -e 's|/usr|/opt|g' -e '$a done' f",
        "sed '2,5{s/a/b/;p}' f",
        "sed 'y/abc/xyz/;1!G;h;$!d' f",
        "awk -F, -v n=2 'NR==n || /x/ {print $1}' f",
        "awk '{a[$1]++} END {for (k in a) print k, a[k]}' f",
        "sort -t: -k2,2n f",
        "tar czf out.tgz src",
        "tar -xzf a.tgz --strip-components 1",
        "make -j 4 V=1 DESTDIR=build/root install",
        "curl -fsSL -H 'A: b' -o /dev/null -w '%{http_code}' http://localhost",
        "python3 -u script.py -c x",
        "python3 -m pytest -q -c x",
        "python3 -Im pytest",
        "python3 --version",
        "perl -w -Ilib script.pl -e x",
        "node --enable-source-maps --max-old-space-size=4096 dist/index.js -e",
        "node --test",
        "ruby -w -Ilib test.rb",
        "php -d memory_limit=-1 script.php",
        "lua script.lua",
        "find . -name '*.py' -not -path './x/*' -mtime -1 -printf '%p'",
        "find . -type f -exec cp {} {}.bak \\;",
        "xargs -n 1 -I{} echo {}",
        "env a=1 b=2 git status",
        "bash -c 'echo a'",
        "sh -c 'echo a && git status'",
        "git log --oneline --graph -5 -- *.py",
        "git grep -n -e x -- src",
        "git config --get user.name",
        "git config user.name me",
        "git commit -a -m 'x'",
        "cargo run -- --config app.toml",
        "npm install --global typescript",
        "npm test -- --browser chrome",
        "go build -ldflags='-s -w' ./...",
        "wget -q http://localhost/x",
        "dd if=f of=/dev/null",
        "tee /dev/null",
        "tr a/b c",
    ],
)
def test_an_ordinary_use_of_a_program_with_a_rule_is_not_asked_about(line: str, workspace: Path) -> None:
    assert asked_of(line, workspace) == []


@corpus("line", ["sort -o out f", "sed -i s/a/b/ out", "dd if=f of=out", "curl -o out localhost"])
def test_a_file_that_a_program_writes_is_allowed_as_a_redirection_to_the_file_is(line: str, workspace: Path) -> None:
    assert asked_of(line, workspace) == ["> out"]
    writing = (Rule("bash", "> out", "allow", "the test"), Rule("edit", "out", "allow", "the test"))
    assert asked_of(line, workspace, writing) == []


@corpus(
    ("line", "pattern"),
    [
        ("/usr/bin/rsync a b", "/usr/bin/rsync a b"),
        ("docker compose run app npm test", "docker compose run app npm test"),
        ("python3.11 script.py", "python3.11 script.py *"),
        ("/usr/bin/python3 script.py", "/usr/bin/python3 script.py *"),
        ("lua script.lua", "lua script.lua *"),
        ("Rscript a.R", "Rscript a.R *"),
        ("python3 -m pytest -q", "python3 -m pytest *"),
        ("awk '{print $1}' f", "awk *"),
        ("sed -n 1p f", "sed *"),
        ("find . -name x", "find *"),
        ("git log -1", "git log *"),
        ("make test", "make test *"),
        ("docker build .", "docker build *"),
        ("go test ./...", "go test *"),
        ("sort -u f", "sort *"),
    ],
)
def test_always_is_offered_for_no_more_than_what_can_be_judged(line: str, pattern: str) -> None:
    findings = analyse(line, directory=Path("/work"), home=Path("/home/someone"))
    assert pattern in offered(findings)


def test_every_program_is_judged_without_arguments_and_behind_a_comment() -> None:
    programs = {*PROGRAMS.split(), *BELIEVED_PROGRAMS, *(entry.split()[0] for entry in NOT_OFFERED)}
    for program in sorted(programs):
        for line in (program, f"{program} # a", f"{program} *", f'{program} "$x"', f"xargs {program}"):
            assert analyse(line, directory=Path("/work"), home=Path("/home/someone")).commands


@corpus("entry", NOT_OFFERED)
def test_no_pattern_is_offered_for_a_program_that_runs_what_is_not_taken_apart(entry: str) -> None:
    findings = analyse(f"{entry} x", directory=Path("/work"), home=Path("/home/someone"))
    assert not [one for one in offered(findings) if one.startswith(entry.split()[0]) and one.endswith("*")]


def test_each_program_that_is_not_offered_has_a_reason() -> None:
    assert all(NOT_OFFERED.values())
    assert reason_against(("rsync", "-a", "x"))
    assert not reason_against(("git", "status"))
