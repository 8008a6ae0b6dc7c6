"""Real programs under an overlay, and any sequence of file operations, end as they would without an overlay."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from changes_support.desk import Desk
from changes_support.shell import git
from corpus_support import examples
from overlay_support.bubblewrap import can_overlay, without_overlay
from overlay_support.contained import asked_names, run_contained
from overlay_support.manifest import manifest

pytestmark = pytest.mark.skipif(not can_overlay(), reason="needs bubblewrap with overlays")


@pytest.fixture
async def project(tmp_path: Path) -> AsyncIterator[Desk]:
    root = tmp_path / "project"
    root.mkdir()
    desk = Desk(root, permission={"edit": "ask"})
    desk.write(".gitignore", "node_modules/\n__pycache__/\n*.egg-info/\n")
    desk.write("a.py", "x = {  'a':1 }\n")
    desk.write("ok.py", "x = 1\n")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    yield desk
    await desk.database.close()


async def test_a_formatter_proposes_the_files_that_it_changed(project: Desk) -> None:
    ruff = Path(sys.executable).with_name("ruff")
    await run_contained(project, f'"{ruff}" format .')
    assert asked_names(project) == ["a.py"]
    assert project.text("a.py") == 'x = {"a": 1}\n'


async def test_a_patch_that_git_applies_is_proposed(project: Desk) -> None:
    project.write("../fix.patch", "--- a/ok.py\n+++ b/ok.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n")
    await run_contained(project, "git apply ../fix.patch")
    assert asked_names(project) == ["ok.py"]
    assert git(project.root, "diff", "--stat").endswith("1 file changed, 1 insertion(+), 1 deletion(-)\n")


async def test_a_commit_in_the_overlay_is_a_commit_in_the_repository(project: Desk) -> None:
    identity = "-c user.name=Ada -c user.email=ada@example.org"
    await run_contained(project, f"git {identity} commit -q --allow-empty -m second")
    assert git(project.root, "log", "--format=%s").splitlines() == ["second", "first"]
    assert project.approver.requests == []


@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
async def test_npm_install_of_a_directory_proposes_the_manifest_and_lets_the_packages_through(project: Desk) -> None:
    project.write("../dependency/package.json", '{"name": "dependency", "version": "1.0.0"}')
    project.write("../dependency/index.js", "module.exports = 1\n")
    project.write("package.json", '{"name": "project", "version": "1.0.0"}')
    git(project.root, "add", "-A")
    cache = project.root.parent / "npm"
    line = f"npm install --install-links --offline --no-audit --no-fund --cache {project.root}/node_modules/.npm "
    await run_contained(project, line + "../dependency")
    assert not cache.exists()
    assert asked_names(project) == ["package-lock.json", "package.json"]
    assert project.text("node_modules/dependency/index.js") == "module.exports = 1\n"


NEW_DIRECTORIES = {
    "an application with its packages": (
        "mkdir -p app/venv/x; printf '/venv\\n*.local\\n' > app/.gitignore; touch app/a.py app/a.local app/venv/x/y",
        ["app/.gitignore", "app/a.local", "app/a.py"],
    ),
    "a virtual environment of any name": (
        "/usr/bin/python3 -m venv --without-pip env; echo '*' > env/.gitignore",
        [],
    ),
    "caches": (
        "for name in .pytest_cache .mypy_cache .ruff_cache .cache htmlcov; do mkdir -p $name/v; "
        "echo '*' > $name/.gitignore; touch $name/v/x; done",
        [],
    ),
    "a build in a directory that ignores itself": (
        "mkdir -p build/x; echo '*' > build/.gitignore; touch build/x/y",
        ["build/.gitignore", "build/x/y"],
    ),
}


@pytest.mark.parametrize(("line", "names"), NEW_DIRECTORIES.values(), ids=NEW_DIRECTORIES.keys())
async def test_packages_and_caches_in_new_directories_go_through_and_all_else_is_proposed(
    project: Desk, line: str, names: list[str]
) -> None:
    await run_contained(project, line)
    assert (asked_names(project) if project.approver.requests else []) == names


async def test_files_compiled_by_python_go_through(project: Desk) -> None:
    await run_contained(project, "/usr/bin/python3 -m compileall -q .")
    assert project.approver.requests == []
    assert len(list(project.path("__pycache__").iterdir())) == 2


NAMES = st.sampled_from(["a", "b", "d", "d/e", "d/f", "d/e/g", "log", "d/log", "i", "i/x", "i/y"])
STEPS = st.one_of(
    st.builds("echo {} >> {}".format, st.integers(0, 9), NAMES),
    st.builds("printf '\\0{}' >> {}".format, st.integers(0, 7), NAMES),
    st.builds("rm -rf {}".format, NAMES),
    st.builds("mkdir -p {}".format, NAMES),
    st.builds("mv -T {} {}".format, NAMES, NAMES),
    st.builds("ln -sfT {} {}".format, NAMES, NAMES),
    st.builds("chmod {} {}".format, st.sampled_from(["700", "755", "444"]), NAMES),
    st.builds("cp -T {} {}".format, NAMES, NAMES),
)


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(before=["echo 0 >> i"], steps=["rm -rf i", "mkdir -p i", "echo 0 >> i/x"])
@example(before=["mkdir -p d"], steps=["rm -rf d", "echo 0 >> d"])
@example(before=["mkdir -p d/e/g"], steps=["rm -rf d", "echo 0 >> d"])
@example(before=["mkdir -p d"], steps=["rm -rf d", "ln -sfT a d"])
@example(before=["mkdir -p d"], steps=["rm -rf d", "printf '\\01' >> d"])
@given(before=st.lists(STEPS, max_size=8), steps=st.lists(STEPS, max_size=10))
def test_accepted_whole_any_operations_end_as_if_done_directly(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], steps: list[str]
) -> None:
    place = tmp_path_factory.mktemp("property")
    root, direct = place / "root", place / "direct"
    root.mkdir()
    (root / ".gitignore").write_text("log\ni/\n")
    subprocess.run(["bash", "-c", "\n".join(before)], cwd=root, capture_output=True, check=False)
    shutil.copytree(root, direct, symlinks=True)
    without_overlay("\n".join(steps), direct)
    asyncio.run(_run_and_accept(root, "\n".join(steps)))
    assert manifest(root) == manifest(direct)
    assert [name for name in os.listdir(root) if ".tmp_" in name] == []


async def _run_and_accept(root: Path, line: str) -> None:
    desk = Desk(root, permission={"edit": "allow"})
    change = await run_contained(desk, line, fails=True)
    assert (change.left_out, change.doubt, [note for note in change.notes if "kept" in note]) == ([], "", [])
    await desk.database.close()
