"""A rule that denies changes to a file holds for programs that name the file, without a sandbox too."""

import subprocess
import sys
from pathlib import Path

import pytest

from corpus_support import corpus
from placet.permissions.explain import Explanation, explain
from placet.permissions.rules import MAY_CHANGE, builtin_rules, evaluate, from_config, root_names
from placet.project.paths import Workspace
from placet.sessions.asks.explain_asks import questions_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="bash is not there")

CHANGES = """
cp f locked/x
cp f locked/
cp f locked
cp -t locked f
cp -vt locked f
cp --target-directory=locked f
cp -r d locked
mv f locked/x
mv locked/x f
mv locked other
rm locked/x
rm -rf locked
cd locked && rm x
install -m 644 f locked/x
truncate -s 0 locked/x
chmod 600 locked/x
chmod -R 600 locked
touch locked/x
touch -d now locked/new
ln f locked/x
ln -sf ../f locked/x
ln locked/x f2
tee locked/x < f
tee -a locked/x < f
dd if=f of=locked/x
sed -i s/1/2/ locked/x
sed -i.bak s/1/2/ locked/x
perl -pi -e s/1/2/ locked/x
ruby -pi -e 1 locked/x
rsync -a f locked/x
rsync -a d/ locked/
patch locked/x < f
sort -o locked/x f
gzip locked/x
black locked/x
gofmt -w locked/x
prettier --write locked/x
git rm locked/x
git mv locked/x other
git -C . -c core.abbrev=7 rm locked/x
git checkout HEAD -- locked/x
git restore locked/x
echo 2 > locked/x
env cp f locked/x
bash -c 'cp f locked/x'
find locked -name x -exec rm {} +
find locked -delete
cp f "$PWD/locked/x"
cp f d/../locked/x
cp f link/x
""".strip().splitlines()
CHANGES_NOTHING = """
cp locked/x f
cat locked/x
grep 1 locked/x
python3 f locked/x
gofmt locked/x
sed s/1/2/ locked/x
rsync -a locked/ d/
git add locked/x
git checkout main
ln -s locked/x f2
cp -t d locked/x
mkdir -p d/new && cp f d/new/x
""".strip().splitlines()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("denied") / "project"
    for name in ("locked/x", "d/x", "f"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("1\n")
    (root / "link").symlink_to("locked")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


def explained(root: Path, line: str, edit: object, bash: object = "allow") -> Explanation:
    workspace = Workspace((root,))
    rules = builtin_rules(root / "out") + from_config({"bash": bash, "edit": edit}, "the test")
    questions = questions_of("bash", line, workspace, lambda name, pattern: evaluate(rules, name, pattern).action)
    return explain(questions.asks, rules, root_names((root,)), lambda _permission, _pattern: None)


@corpus("line", CHANGES)
def test_a_change_of_a_file_denied_by_name_is_denied(root: Path, line: str) -> None:
    assert explained(root, line, {"*": "allow", "locked/*": "deny"}).outcome == "deny"


@corpus("line", CHANGES_NOTHING)
def test_a_line_that_changes_no_denied_file_is_not_denied(root: Path, line: str) -> None:
    assert explained(root, line, {"*": "allow", "locked/*": "deny"}).outcome == "allow"


@corpus("line", ["cp f d/x", "touch new", "rm f", "echo > f"])
def test_where_all_edits_are_denied_no_program_changes_a_named_file_of_the_project(root: Path, line: str) -> None:
    assert explained(root, line, "deny").outcome == "deny"


def test_an_agent_that_only_reads_is_denied_by_name_alone_as_its_commands_are_asked(root: Path) -> None:
    reading = {"*": "allow", MAY_CHANGE: "ask"}
    assert explained(root, "touch locked/x", "deny", reading).outcome == "allow", "beside the ask for the command"
    assert explained(root, "touch locked/x", {"locked/*": "deny"}, reading).outcome == "deny"


def test_a_link_is_judged_by_where_it_leads_and_not_by_the_directory_of_the_shell(root: Path) -> None:
    assert explained(root, "ln -sf ../f d/y", "allow").outcome == "allow"
    assert explained(root, "ln -sf ../../f d/y", "allow").outcome == "ask"
