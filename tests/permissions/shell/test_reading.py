"""Lines that only read need no question; a line that may do more, or tells what the user guards, does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from corpus_support import corpus, examples
from placet.permissions.explain import Explanation, explain
from placet.permissions.rules import builtin_rules, evaluate, from_config, root_names
from placet.project.paths import Workspace
from placet.sessions.asks.explain_asks import questions_of
from shell_support.fuzz import fuzz_reading
from shell_support.reading_fuzz import run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="bash is not there")

READS = """
ls -la src | head -n 3
git status
git status --short && git log --oneline -5
git -C src log --oneline | head
git --no-pager diff HEAD~1 -- a.py
git show HEAD:a.py > /dev/null
git branch -a
git branch --merged main
git tag -l 'v*'
git stash list
git remote -v
git config --get user.name
git rev-parse --show-toplevel
git blame a.py
git grep -n x
rg -n x src
rg --files -g '*.py'
grep -rn x --include='*.py' src
grep -n x a.py src/b.py
find . -name '*.py' -type f
sed -n '1,20p' a.py
cat a.py 2>&1
cat a.py src/b.py | sort | uniq -c | sort -rn
cd src && ls && pwd
test -f a.py && cat a.py
[ -f a.py ] && wc -l a.py
time ls
timeout 5 cat a.py
wc -l src/*.py
command -v rg
jq .version package.json
LC_ALL=C sort a.py
echo "$HOME"
diff -u a.py src/b.py
tail -n +5 a.py
du -sh src
stat -c %s a.py
nl -ba a.py | sed -n '10,20p'
date +%F
""".strip().splitlines()
DOES_MORE = """
cat .env
cat < .env
cat ./src/../.env
cat .e*
head link
grep -r x .
grep -rn x --include='*.py' .
grep -rh --include='\\.env' x .
grep -rh --include='.e[^a]v' x .
grep -rh --include='.e[[:alpha:]]v' x .
grep -rn x --exclude='*.zzz' --include='*.py' .
grep -r -e --include=*.zzz .
grep -Rn x .
grep -d recurse x .
rg x
rg -n x .
rg -uu --files --json x
rg -uu --type-list --json x
rg --hidden x
rg -u x
rg -L x
rg -g '*' x
rg --pre ./x y
rg -z x
git -c core.pager=cat log
git -p log
git diff --output=x
git diff --ext-diff
git log --show-signature
git log --format=%G?
git diff --no-index a.py b
git reflog show -p
git reflog -p
git for-each-ref --format='%(raw)'
git for-each-ref --format='%(contents)'
git tag -l --format='%(raw)'
git branch --format='%(raw)'
git log --format='%(trailers)'
git diff --outp=x
git diff -U --output=x
git diff --unified --output=x
git show --format --output=x
git log -U --output=x
git blame --abbrev --output=x a.py
git diff -L --output=x
git log -p FETCH_HEAD
git show 1234567
git cat-file -p 1234567
git cat-file blob deadbeef
git grep --untracked x
git grep -O x
git cat-file --batch
git show HEAD:.env
git branch new
git branch -D old
git branch -v new
git tag v1
git stash
git stash drop
git remote show origin
git remote add x y
git config user.name x
git config core.pager --list
git config core.abbrev -l
git fetch
git st
git reflog expire --all
cat a.py > b
cat a.py >> b
tee a.py
sort -o a.py b
sort --files0-from=list
sort -T . a.py
uniq a.py b
find . -delete
find . -name a -exec cat {} +
find . -fprint x
sed -n 'w b' a.py
sed s/a/b/ a.py
wc --files0-from=list
md5sum -c list
printenv
env
ps eww
cat /proc/self/environ
cat /dev/tcp/127.0.0.1/1
cat < /dev/tcp/127.0.0.1/1
ls $(touch x)
ls `touch x`
cat <(ls)
ls & ls
f() { ls; }; f
for f in a; do cat a.py; done
if true; then ls; fi
PATH=. ls
GIT_DIR=x git status
RIPGREP_CONFIG_PATH=x rg y
GIT_EXTERNAL_DIFF=./x git diff
LANGUAGE=../x ls
./ls
/bin/cat a.py
src/cat a.py
less a.py
man ls
bat a.py
awk '{print}' a.py
xargs cat < list
python3 -c 'print(1)'
cargo --version
npm --version
go version
jq -f x package.json
jq 'import "x" as $x; .' package.json
jq 'env' package.json
jq '$ENV' package.json
diff -r . src
diff src .
diff -N . src
diff list .
diff -l a.py b
uniq src/*
uniq a.py *
cat --unknown a.py
tree -o x
file -C -m x
file -z a.py
date -s x
hostname x
strings @x
tar tf x
hexdump a.py; touch x
alias ls=rm
ls; eval x
trap 'touch x' EXIT
export A=1
exec ls
cat a.py | sh
ls | tee x
yes
""".strip().splitlines()


HERE = Path(__file__).parent
HOSTILE = [
    entry.strip("\n")
    for name in ("hostile.txt", "code_by_option.txt", "writes_by_option.txt", "files_by_option.txt")
    for entry in (HERE / name).read_text("utf-8").split("\n\n")
    if entry.strip()
]
ATTACKS = (HERE / "attacks.txt").read_text("utf-8").splitlines()
"""Lines with which Placet was attacked."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("reading") / "project"
    (root / "src").mkdir(parents=True)
    for name in ("a.py", "src/b.py", "package.json", "list", "b"):
        (root / name).write_text("x\n")
    (root / ".gitignore").write_text(".env\n")
    git(root, "init", "-q")
    git(root, "add", "-A")
    (root / ".env").write_text("SECRET=1\n")
    (root / "link").symlink_to(".env")
    return root


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)


def git_output(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def explained(root: Path, line: str, permission: object = None) -> Explanation:
    workspace = Workspace((root,))
    rules = builtin_rules(root / "out") + from_config(permission or {}, "the test")
    roots = root_names((root,))
    questions = questions_of("bash", line, workspace, lambda name, pattern: evaluate(rules, name, pattern).action)
    return explain(questions.asks, rules, roots, lambda name, pattern: None)


@pytest.fixture(autouse=True)
def searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the ripgrep that Placet brings along on PATH."""
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{Path(sys.executable).parent}")


@corpus("line", READS)
def test_a_line_that_only_reads_is_not_asked(root: Path, line: str) -> None:
    judged = explained(root, line)
    assert judged.outcome == "allow"
    assert {part.rule.source for part in judged.judged} == {"built in: it only reads"}


@corpus("line", DOES_MORE)
def test_a_line_that_may_do_more_is_asked(root: Path, line: str) -> None:
    assert explained(root, line).outcome != "allow"


def test_no_hostile_line_and_no_attack_is_unasked(root: Path, tmp_path: Path) -> None:
    (root / "notes.md").symlink_to(tmp_path / "keys.json")
    (root / "l1").symlink_to(tmp_path / "keys.json")
    (tmp_path / "keys.json").touch()
    unasked = [line for line in (*HOSTILE, *ATTACKS) if explained(root, line).outcome == "allow"]
    assert unasked == []


@corpus(
    ("permission", "line"),
    [
        ({"bash": {"git *": "ask"}}, "git status"),
        ({"bash": "ask"}, "ls"),
        ({"bash": {"*": "ask"}}, "ls"),
        ({"*": "ask"}, "ls"),
        ("ask", "ls"),
        ({"read": {"*.py": "ask"}}, "cat a.py"),
        ({"read": {"src/*": "ask"}}, "cat src/*.py"),
        ({"read": {"src/*": "ask"}}, "grep -r x src"),
        ({"read": {"src/*": "ask"}}, "git diff"),
        ({"read": {"*.py": "ask"}}, "rg x"),
        ({"read": "ask"}, "head a.py"),
    ],
)
def test_rules_of_the_user_outrank_the_built_in_rule(root: Path, permission: object, line: str) -> None:
    assert explained(root, line, permission).outcome == "ask"


def test_a_denial_of_the_user_denies_a_line_that_only_reads(root: Path) -> None:
    assert explained(root, "ls && git status", {"bash": {"git *": "deny"}}).outcome == "deny"


def test_a_program_of_the_project_is_asked_under_the_name_of_a_reading_program(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = root / "node_modules" / ".bin"
    planted.mkdir(parents=True)
    (planted / "cat").write_text("#!/bin/sh\ntouch pwned\n")
    (planted / "cat").chmod(0o755)
    assert explained(root, "cat a.py").outcome == "allow"
    monkeypatch.setenv("PATH", f"{planted}:{os.environ['PATH']}")
    assert explained(root, "cat a.py").outcome == "ask"
    assert explained(root, "head a.py").outcome == "allow"


def test_a_switch_between_versions_is_asked(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "head").write_text('#!/bin/sh\nexec switch head "$@"\n')
    (tmp_path / "head").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert explained(root, "head a.py").outcome == "ask"


def test_git_is_asked_where_the_repository_runs_programs_fetches_or_holds_another_repository(tmp_path: Path) -> None:
    for number, spoil in enumerate(
        (
            ("config", "core.fsmonitor", "./x"),
            ("config", "diff.external", "./x"),
            ("config", "remote.origin.promisor", "true"),
            ("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub"),
        )
    ):
        root = tmp_path / str(number)
        root.mkdir()
        git(root, "init", "-q")
        assert explained(root, "git status").outcome == "allow"
        git(root, *spoil)
        assert explained(root, "git status").outcome == "ask", spoil


COMMIT = ("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x")
PRINTING = """
git log -p
git show HEAD~1
git show
git diff HEAD~1
git grep KEY HEAD~1
git cat-file -p HEAD:a.py
git stash show -p
git blame a.py
git log -S KEY
git log -L1,1:a.py
git diff-tree -p HEAD
git whatchanged -p
git range-diff HEAD~1 HEAD HEAD
""".strip().splitlines()


@corpus("line", PRINTING)
def test_git_is_asked_to_print_contents_where_a_file_to_ask_about_was_ever_held(tmp_path: Path, line: str) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q")
    (root / "a.py").write_text("x\n")
    git(root, "add", "-A")
    git(root, *COMMIT)
    assert explained(root, line).outcome == "allow"
    (root / "old.env").write_text("KEY=1\n")
    git(root, "add", "-A")
    git(root, *COMMIT)
    git(root, "rm", "-q", "old.env")
    git(root, *COMMIT)
    assert explained(root, line).outcome == "ask"
    assert explained(root, "git log --oneline --stat").outcome == "allow"


def test_what_only_a_reflog_or_a_merge_still_leads_to_is_a_part_of_the_history(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, *COMMIT, "--allow-empty")
    assert explained(tmp_path, "git show").outcome == "allow"
    (tmp_path / "old.env").write_text("KEY=1\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, *COMMIT)
    git(tmp_path, "reset", "-q", "--hard", "HEAD~1")
    assert explained(tmp_path, "git show HEAD@{1}").outcome == "ask"


def test_git_is_asked_to_print_an_object_that_no_reference_leads_to(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, *COMMIT, "--allow-empty")
    commit = git_output(tmp_path, "rev-parse", "HEAD")
    (tmp_path / ".env").write_text("KEY=1\n")
    blob = git_output(tmp_path, "hash-object", "-w", ".env")
    for word in (commit, commit[:7], commit[:7].upper(), f"{commit[:9]}^{{tree}}"):
        assert explained(tmp_path, f"git show {word}").outcome == "allow", word
    for word in (blob, blob[:7], blob[:7].upper(), f"x-1-g{blob[:7]}", f"HEAD..{blob[:8]}"):
        assert explained(tmp_path, f"git show {word}").outcome == "ask", word


def test_git_is_asked_where_a_reference_names_contents_without_a_name(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, *COMMIT, "--allow-empty")
    (tmp_path / ".env").write_text("KEY=1\n")
    git(tmp_path, "tag", "secret", git_output(tmp_path, "hash-object", "-w", ".env"))
    assert explained(tmp_path, "git show secret").outcome == "ask"
    assert explained(tmp_path, "git show HEAD").outcome == "ask"
    assert explained(tmp_path, "git tag -l").outcome == "allow"


def test_git_is_asked_outside_of_a_repository_and_for_places_of_another_one(tmp_path: Path) -> None:
    for name in ("conf", "empty", "nested"):
        (tmp_path / name).mkdir()
    (tmp_path / "conf" / ".env").write_text("KEY=1\n")
    git(tmp_path / "nested", "init", "-q")
    for line in ("git diff conf empty", "cd nested && git diff ../conf ../empty", "git -C nested diff conf empty"):
        assert explained(tmp_path, line).outcome == "ask", line
    assert explained(tmp_path / "nested", "git diff").outcome == "allow"


def test_git_is_asked_to_print_contents_where_it_tracks_a_file_to_ask_about(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / "prod.env").touch()
    assert explained(tmp_path, "git diff").outcome == "allow"
    git(tmp_path, "add", "-A")
    assert explained(tmp_path, "git diff").outcome == "ask"
    assert explained(tmp_path, "git log -p").outcome == "ask"
    assert explained(tmp_path, "git log --oneline").outcome == "allow"


def test_a_tree_too_large_for_a_look_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("placet.tools.shell.reading.MOST_ENTRIES", 3)
    for number in range(4):
        (tmp_path / f"{number}.py").touch()
    assert explained(tmp_path, "grep -r x .").outcome == "ask"
    assert explained(tmp_path, "ls").outcome == "allow"


def test_no_hostile_line_that_only_reads_runs_another_program(tmp_path: Path) -> None:
    outcome = fuzz_reading(tmp_path, lines=examples(1_500), seed=1, asked=0.05)
    assert outcome.bypasses == []
    assert outcome.allowed > 8
    assert outcome.forbidden > 10


def test_no_line_that_only_reads_tells_a_secret_or_writes(tmp_path: Path) -> None:
    report = run(examples(500), 1, tmp_path / "arena")
    assert report.bypasses == []
    assert report.proved > 50
    assert report.hostile > 1


@pytest.mark.long
def test_no_line_in_twenty_thousand_that_only_reads_tells_a_secret_or_writes(tmp_path: Path) -> None:
    assert run(20_000, 2, tmp_path / "arena").bypasses == []
