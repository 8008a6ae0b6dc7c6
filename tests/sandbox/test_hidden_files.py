"""Files that rules for `read` ask about are hidden from contained commands, whatever program looks for the files."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from corpus_support import corpus
from placet.core.errors import SandboxFailed
from placet.core.values import replace
from placet.permissions.rules import builtin_rules, evaluate, from_config
from placet.project.paths import Workspace
from placet.sandbox import hidden_files
from placet.sandbox.containment import CommandSandbox, Containment
from placet.sandbox.environment import with_git_setting
from placet.sandbox.listings import Listings, ReadingRules
from placet.sandbox.offer import command_sandbox
from placet.sandbox.preflight import Backend
from placet.sandbox.protections import Protections, look_at
from placet.settings.models import SandboxSettings
from placet.tools.framework.access import reading_rules
from sandbox.workshop import Workshop

pytestmark = pytest.mark.skipif(sys.platform != "linux" or not shutil.which("bwrap"), reason="needs bubblewrap")

SECRET = "MARK-OF-A-SECRET"
PLACES = (".env", "deep/er/.env.production", "node_modules/x/.env", ".hidden/.env", "site-packages/app.env", ".envrc")
IDENTITY = {f"GIT_{who}_{what}": "t@t" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}

OF_GIT = """
echo two >> a.txt
git add -A
git commit -qm two
echo x >> a.txt
git commit -qam three
echo y >> a.txt
git stash -q
git stash pop -q
git checkout -q -b other
git reset -q --hard
git checkout -q main
echo DONE
""".strip().splitlines()


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    workshop = Workshop(tmp_path)
    for name in PLACES:
        write(workshop.project / name, SECRET)
    write(workshop.project / ".env.example", "an example")
    return workshop


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{text}\n")


def hiding(workshop: Workshop, *readable: Path, only_reads: bool = False, **denied: str) -> Containment:
    """Return limits with the built-in rules and further ones for `read`; the files of `readable` are shown."""
    written = (*builtin_rules(), *from_config({"read": dict.fromkeys(denied.values(), "deny")}, "the test"))

    def judge(permission: str, pattern: str):
        return evaluate(written, permission, pattern).action

    rules = reading_rules(Workspace((workshop.project,)), judge, written)
    assert rules is not None
    return replace(workshop.containment(only_reads=only_reads), reading=rules, readable=readable)


READERS = """
cat .env .envrc deep/er/.env.production node_modules/x/.env .hidden/.env site-packages/app.env
grep -ra MARK .
grep -r MARK .env
find . -name '*env*' -exec cat {} +
tar cf - . | cat
cp -r . /tmp/copy; grep -ra MARK /tmp/copy
ln .env hard; ln -s .env soft; cat hard soft
mv .env seen; cat seen
mv deep shallow; cat shallow/er/.env.production deep/er/.env.production
cp --reflink=auto .env seen; cat seen
dd if=.env
python3 -c "print(open('.env').read())"
python3 -c "import mmap,os; f=os.open('.env',os.O_RDWR); print(mmap.mmap(f,0)[:])"
python3 -c "import os; os.chmod('.env',0o644); print(open('.env').read())"
perl -pe '' .env
awk 1 .env
sed -n p .env
git hash-object -w .env; git add -Af; git ls-files -z | xargs -0 -n1 git show :
git diff --no-index /dev/null .env
cat /proc/self/root$PWD/.env; cat /proc/1/root$PWD/.env; cat /proc/self/cwd/.env
head -c 99 < .env
source ./.env; echo $_
chmod 644 .env; chown 0 .env; cat .env
rm .env; cat .env
unshare -rm sh -c 'umount .env; cat .env'
umount .env; cat .env
mount --bind . /mnt; cat /mnt/.env
""".strip().splitlines()


@corpus("line", READERS)
async def test_no_program_reads_a_hidden_file(workshop: Workshop, line: str) -> None:
    shutil.rmtree(workshop.project)
    for name in PLACES:
        write(workshop.project / name, SECRET)
    await asyncio.to_thread(subprocess.run, ["git", "init", "-q"], cwd=workshop.project, check=True)
    _, text = await workshop.run(line, containment=hiding(workshop))
    assert SECRET not in text
    files = [file for file in workshop.project.rglob("*env*") if file.is_file() and file.name != "x.env"]
    assert sorted(file.read_text() for file in files if not file.is_symlink()) == [f"{SECRET}\n"] * len(PLACES)


async def test_other_files_and_files_that_the_command_itself_makes_are_read(workshop: Workshop) -> None:
    _, text = await workshop.run("cat .env.example; echo OWN > new.env; cat new.env", containment=hiding(workshop))
    assert text == "an example\nOWN\n"


async def test_an_agent_that_only_reads_reads_no_hidden_file(workshop: Workshop) -> None:
    _, text = await workshop.run("cat .env.example; cat .env", containment=hiding(workshop, only_reads=True))
    assert text == "an example\ncat: .env: Permission denied\n"


async def test_a_file_that_the_user_shows_is_read_and_written_and_the_others_stay_hidden(workshop: Workshop) -> None:
    limits = hiding(workshop, workshop.project / ".env")
    _, text = await workshop.run("cat .env; cat .hidden/.env; echo more >> .env", containment=limits)
    assert text == f"{SECRET}\ncat: .hidden/.env: Permission denied\n"
    assert (workshop.project / ".env").read_text() == f"{SECRET}\nmore\n"


async def test_a_protected_file_that_is_shown_stays_read_only(workshop: Workshop) -> None:
    limits = hiding(workshop, workshop.project / ".envrc")
    _, text = await workshop.run("cat .envrc; echo more >> .envrc", containment=limits)
    assert text == f"{SECRET}\nbash: line 1: .envrc: Read-only file system\n"


async def test_a_link_hides_the_file_to_which_the_link_leads(workshop: Workshop) -> None:
    write(workshop.project / "settings.txt", SECRET)
    write(workshop.home / "outside.txt", SECRET)
    (workshop.project / "a.env").symlink_to("settings.txt")
    (workshop.project / "b.env").symlink_to(workshop.home / "outside.txt")
    (workshop.project / "c.env").symlink_to("nowhere")
    line = f"cat a.env b.env c.env settings.txt {workshop.home}/outside.txt"
    assert SECRET not in (await workshop.run(line, containment=hiding(workshop)))[1]


@corpus("inside", [True, False])
async def test_a_rule_about_files_behind_a_link_hides_the_files_where_the_link_leads(
    workshop: Workshop, inside: bool
) -> None:
    folder = (workshop.project if inside else workshop.home) / "vault"
    write(folder / "deep/key.txt", SECRET)
    write(folder / "other.md", "other")
    (workshop.project / "secrets").unlink(missing_ok=True)
    (workshop.project / "secrets").symlink_to(folder)
    line = f"cat secrets/deep/key.txt {folder}/deep/key.txt secrets/other.md; grep -r MARK {folder}"
    _, text = await workshop.run(line, containment=hiding(workshop, denied="secrets/*.txt"))
    assert SECRET not in text
    assert "other" in text


async def test_a_file_that_a_rule_names_by_the_folder_is_not_renamed_with_the_folder(workshop: Workshop) -> None:
    write(workshop.project / "keys/deep/id", SECRET)
    limits = hiding(workshop, denied="keys/*")
    for line in (
        "mv keys out",
        "mkdir new; mv keys new",
        "mv keys/deep out",
        "python3 -c \"__import__('os').rename('keys', 'out')\"",
    ):
        await workshop.run(line, containment=limits)
    assert workshop.contained is not None
    assert (workshop.project / "keys/deep/id").read_text() == f"{SECRET}\n"
    _, text = await workshop.run("cat out/* new/keys/* 2>&1; mv keys out", containment=limits)
    assert SECRET not in text
    [refusal] = workshop.contained.refusals(text)
    assert (
        refusal.sentence
        == f"write to {workshop.project}/keys (holds protected or hidden files, which keep their places)"
    )


async def test_git_takes_a_tracked_hidden_file_for_unchanged(workshop: Workshop) -> None:
    environment = {**os.environ, **IDENTITY, "GIT_OPTIONAL_LOCKS": "1"}

    def git(*words: str) -> str:
        done = subprocess.run(("git", *words), cwd=workshop.project, env=environment, check=True, capture_output=True)
        return done.stdout.decode()

    write(workshop.project / "a.txt", "one")
    for path in workshop.project.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "one")
    setting = " ".join(f"{name}='{value}'" for name, value in IDENTITY.items())
    line = f"export {setting}; git status --short; {' && '.join(OF_GIT)}"
    _, text = await workshop.run(line, containment=hiding(workshop))
    assert text == "DONE\n"
    assert git("diff", "--stat", "HEAD~2", "HEAD", "--name-only") == "a.txt\n"
    assert git("status", "--short") == ""


async def test_git_commits_no_hidden_file_that_the_user_has_changed(workshop: Workshop) -> None:
    write(workshop.project / ".env", "OLD")
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@t")
    for words in (("init", "-q"), ("add", "-f", ".env"), ("commit", "-qm", "one")):
        await asyncio.to_thread(subprocess.run, (*git, *words), cwd=workshop.project, check=True)
    write(workshop.project / ".env", f"{SECRET} NEW")
    _, text = await workshop.run("git add -A; git diff; git stash", containment=hiding(workshop))
    assert 'open(".env"): Permission denied' in text
    assert SECRET not in text
    _, text = await workshop.run("git show :.env", containment=hiding(workshop))
    assert text == "OLD\n", "neither the change nor the stand-in has come into the index"
    assert (workshop.project / ".env").read_text() == f"{SECRET} NEW\n"


def test_a_setting_for_git_comes_after_the_settings_of_the_environment() -> None:
    given = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "c"}
    assert with_git_setting(given, "d.e", "f") == {
        **given, "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_1": "d.e", "GIT_CONFIG_VALUE_1": "f",
    }  # fmt: skip


async def test_the_user_s_files_stay_as_they_are_and_nothing_is_left_beside_them(workshop: Workshop) -> None:
    before = sorted(path.name for path in workshop.project.rglob("*"))
    line = "rm -f .env; echo x > .env; mv .env y; chmod 777 .env; touch .env; truncate -s 0 .env; ln -f a .env"
    await workshop.run(line, containment=hiding(workshop))
    assert sorted(path.name for path in workshop.project.rglob("*")) == before
    assert (workshop.project / ".env").read_text() == f"{SECRET}\n"
    assert (workshop.project / ".env").stat().st_mode & 0o777 == 0o644


async def test_files_that_cannot_all_be_hidden_are_a_reason(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> Protections:
        return look_at(hiding(workshop), Listings(), workshop.home, ())

    assert found().unhidden == ""
    monkeypatch.setattr(hidden_files, "MOST_HIDDEN", 5)
    assert (found().hidden, found().unhidden) == ((), "holds more than 5 files that rules for `read` ask about")
    monkeypatch.undo()
    (workshop.project / "linked.env").symlink_to("deep")
    assert "linked.env, a link to a folder" in found().unhidden


async def test_no_command_runs_unasked_where_files_can_no_longer_all_be_hidden(workshop: Workshop) -> None:
    def offered() -> CommandSandbox:
        limits, backend = hiding(workshop), Backend("bubblewrap", "full")
        found = workshop.sandbox.look(limits)
        return command_sandbox(SandboxSettings(), limits, found, backend, proposes=False, asks_about_all=False)

    offer = offered()
    assert (await workshop.run("echo ran", containment=offer.containment))[1] == "ran\n"
    (workshop.project / "linked.env").symlink_to("deep")
    with pytest.raises(SandboxFailed, match=r"linked\.env, a link to a folder"):
        await workshop.run("echo ran", containment=offer.containment)
    assert "linked.env" in offered().unhidden, "so that the next command is asked"
    assert (await workshop.run("echo ran", containment=offered().containment))[1] == "ran\n"


def test_a_rule_about_every_file_hides_none() -> None:
    assert reading_rules(Workspace((Path("/x"),)), lambda _permission, _pattern: "ask", ()) is None


async def test_stand_ins_go_with_the_session(workshop: Workshop) -> None:
    await workshop.run("true", containment=hiding(workshop))
    session = workshop.sandbox.temporary_directory("session").parent
    assert len(list((session / "stand-ins").iterdir())) >= 1
    await workshop.sandbox.close_session("session")
    assert not session.exists()


async def test_rules_that_differ_hide_other_files(workshop: Workshop) -> None:
    limits = [
        replace(hiding(workshop), reading=ReadingRules(name, lambda path, name=name: path.endswith(name)))
        for name in ("/.env", "app.env")
    ]
    hidden = [
        sorted(str(file.path.relative_to(workshop.project)) for file in workshop.sandbox.look(one).hidden)
        for one in limits
    ]
    assert json.dumps(hidden) == json.dumps(
        [[".env", ".hidden/.env", "node_modules/x/.env"], ["site-packages/app.env"]]
    )
