"""Where the paths of a line lead: judged by the disk, whatever they are called and however they are written."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from placet.permissions.explain import Explanation, explain
from placet.permissions.rules import builtin_rules, evaluate, from_config, root_names
from placet.permissions.shell import analyse
from placet.project.paths import Workspace
from placet.tools.shell.permission import asks_for_command

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="bash is not there")

BASH_ALLOWED: Mapping[str, Any] = {"bash": {"*": "allow", "unproved: *": "ask"}, "edit": "allow"}


class Project:
    """A project whose every command is allowed, beside a place that is not the project's."""

    def __init__(self, base: Path) -> None:
        self.root = base / "project"
        self.outside = base / "outside"
        self.home = base / "home"
        for directory in (self.root / "src", self.outside, self.home / ".config" / "placet"):
            directory.mkdir(parents=True)
        self.keys = self.home / ".config" / "placet" / "keys.json"
        self.keys.write_text("{}")
        (self.outside / "secret").write_text("secret")

    def judged(self, line: str, permission: Mapping[str, Any] = BASH_ALLOWED) -> Explanation:
        rules = builtin_rules(self.root / "out") + from_config(dict(permission), "the test")
        roots = root_names((self.root,))
        findings = analyse(line, directory=self.root, home=self.home)
        asks = asks_for_command(
            Workspace((self.root,)),
            line,
            findings,
            self.root,
            lambda name, pattern: evaluate(rules, name, pattern, roots).action,
        )
        return explain(asks.asks, rules, roots, lambda name, pattern: None)

    def outcome(self, line: str, permission: Mapping[str, Any] = BASH_ALLOWED) -> str:
        return self.judged(line, permission).outcome

    def asked(self, line: str, permission: Mapping[str, Any] = BASH_ALLOWED) -> set[str]:
        judged = self.judged(line, permission).judged
        return {f"{one.permission}: {one.pattern}" for one in judged if one.action != "allow"}

    def is_unproved(self, line: str) -> bool:
        return bool(analyse(line, directory=self.root, home=self.home).unproved)


def project_in(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return project_in(tmp_path)


@corpus(
    "line",
    [
        "cat *.md",
        "cat n?tes.md",
        "cat [n]otes.md",
        "cat [[:alpha:]]otes.md",
        "cat [!x]otes.md",
        "cat */../*.md",
        "cat **",
        'cat "n"*',
        r"cat \n*",
        "cat < n*.md",
        "cat src/*/secret",
        "cat src/**/secret",
        "tool --file=n*",
        "cat .h*",
        "for f in *.md; do cat $f; done; cat *.md",
    ],
    project=project_in,
)
def test_a_wildcard_is_judged_by_where_each_match_leads(project: Project, line: str) -> None:
    (project.root / "notes.md").symlink_to(project.outside / "secret")
    (project.root / ".hidden").symlink_to(project.outside / "secret")
    (project.root / "src" / "d").symlink_to(project.outside)
    assert project.outcome(line) == "ask"
    assert any(one.startswith("external_directory") or "unproved" in one for one in project.asked(line))


@corpus("line", ["cat *.md", "cat *", "ls */", 'cat "*.md"', r"cat \*", "cat n[[]x"], project=project_in)
def test_a_wildcard_whose_matches_stay_inside_costs_nothing(project: Project, line: str) -> None:
    (project.root / "a.md").write_text("a")
    (project.root / ".hidden").symlink_to(project.outside)
    (project.root / "\u00e9").write_text("a")
    assert project.outcome(line) == "allow"


@corpus(
    "line",
    [
        "sed p *",
        "sort *",
        "gcc *.c",
        "rm ?x*",
        "tool [-]x.c",
        "tool -*",
        "cd src && tool *",
        "git log *",
        "find * -name x",
        "for f in 1 2; do tool *; done",
    ],
    project=project_in,
)
def test_a_wildcard_that_finds_a_name_like_an_option_is_a_doubt(project: Project, line: str) -> None:
    (project.root / "a.c").touch()
    assert project.is_unproved(line) or project.outcome(line) == "allow"
    (project.root / "-x.c").touch()
    (project.root / "src" / "-x.c").touch()
    assert any("unproved" in one for one in project.asked(line))


@corpus(
    "line",
    [
        "sed -n 1p *.c",
        "sort *.c | head -3",
        "sort *.c > out",
        "rg x *.c",
        "git log *.c",
        "find *.c -type f",
        "tar czf a.tgz *.c",
        "rm ./*",
        "echo *",
        "grep -r --include=*.c x .",
    ],
    project=project_in,
)
def test_a_wildcard_that_finds_no_name_like_an_option_costs_nothing(project: Project, line: str) -> None:
    (project.root / "a.c").touch()
    assert project.asked(line) == set()


@corpus(
    "line",
    [
        "touch ./--compress-program=x; sort *",
        "tool; sort *",
        "echo > --compress-program=x; sort *",
        "for f in 1 2; do sort *; done",
        "f() { sort *; }; f; f",
        "tar *",
        "make *",
        "env *",
    ],
    project=project_in,
)
def test_a_wildcard_may_find_what_another_command_of_the_line_has_made(project: Project, line: str) -> None:
    (project.root / "a.c").touch()
    assert any("unproved" in one for one in project.asked(line))


def test_names_beyond_ascii_are_matched_whatever_the_locale(project: Project) -> None:
    (project.root / "\u00e9").symlink_to(project.outside)
    assert project.outcome("cat ??") == "ask"


def test_a_wildcard_of_too_many_names_is_a_doubt(project: Project) -> None:
    for number in range(2001):
        (project.root / "src" / f"f{number}").touch()
    assert any("more names" in one for one in project.asked("cat src/*"))


def test_links_that_lead_round_in_circles_are_a_doubt_and_no_endless_search(project: Project) -> None:
    for number in range(10):
        (project.root / f"l{number}").symlink_to(".")
    assert any("more names" in one for one in project.asked(f"cat {'*/' * 20}x"))


@corpus(
    "line",
    [
        "tool -o./link/x",
        "tool -olink/x",
        "tool -vvlink/x",
        "tool --x=link/x",
        "tool a:link/x",
        "tool a,b,link/x",
        "tool x=a:link/x",
        "tool @link/x",
        "tool a@link/x",
        "tool --x=file://../outside/secret",
        "cp src link",
        "tool " + "a:" * 100 + "link/x",
    ],
    project=project_in,
)
def test_a_part_of_a_word_that_leads_outside_is_asked_about(project: Project, line: str) -> None:
    (project.root / "link").symlink_to(project.outside)
    assert f"external_directory: {project.outside}/*" in project.asked(line)


@corpus(
    "line",
    ["tool -abc --x=y a:b a,b", "curl http://example.org/x?a=/b", "git log a..b", "tar -xzf a.tgz", "make -j4"],
    project=project_in,
)
def test_parts_of_words_that_lead_nowhere_cost_nothing(project: Project, line: str) -> None:
    assert project.asked(line) == set()


@corpus(
    ("line", "path"),
    [
        ("cat $HOME/x", "home/x"),
        ('cat "$HOME"/x', "home/x"),
        ('cat "${HOME}/x y"', "home/x y"),
        ("cat $PWD/../x", "project/../x"),
        ("cd src && cat $PWD/x", "project/src/x"),
    ],
    project=project_in,
)
def test_home_and_the_working_directory_are_read(project: Project, line: str, path: str) -> None:
    findings = analyse(line, directory=project.root, home=project.home)
    assert findings.unproved == ()
    assert project.root.parent / path in findings.paths
    assert "$" not in findings.commands[-1].text


@corpus(
    "line",
    [
        "HOME=/etc; cat $HOME/x",
        "x=../outside; cat $x/secret",
        'x="../a b"; cat "$x/c"',
        "x=$HOME/a; cat $x",
        "HOME=/etc cat $HOME/x",
        "read HOME; cat $HOME/x",
        'read "H"OME; cat $HOME/x',
        "for HOME in a b; do cat $HOME; done",
        "if a; then x=/etc; fi; cat $x",
        "x=/etc & cat $x",
        "(x=/etc); cat $x",
        "x=/etc | cat; cat $x",
        "x=/etc; x=/usr; cat $x",
        "cat $x; x=/etc",
        "x=/etc; read x; cat $x",
        "x=/etc; for x in a; do a; done; cat $x",
        "x=/etc; printf -v x a; cat $x",
        "x=/etc; y=x; read $y; cat $x",
        'x=/etc; eval "$y"; cat $x',
        "x=/etc; : ${x:=y}; cat $x",
        "x+=/etc; cat $x",
        "x='a b'; cat $x",
        "x='*'; cat $x",
        "x=/etc; bash -c 'cat $x'",
        "IFS=/; x=a/b; cat $x",
        "RANDOM=5; cat $RANDOM",
        "x=/etc; ((x=5)); cat $x",
        "x=$(pwd); cat $x",
        "f() { cat $x; }; x=/etc; f",
        "x=/etc; declare -i x; cat $x",
        "cat ~nobody-of-this-name/x",
        "x=time; $x cat",
    ],
    project=project_in,
)
def test_a_variable_that_may_have_another_value_stays_unknown(project: Project, line: str) -> None:
    assert project.is_unproved(line)


def test_the_home_of_another_user_is_where_that_user_lives(project: Project) -> None:
    assert analyse("cat ~root/x", directory=project.root, home=project.home).paths == (
        Path(os.path.expanduser("~root")) / "x",
    )


@corpus("line", ["cd .", "cd src", "cd src && cd ..", "cd ./src/.", "(cd src)"], project=project_in)
def test_a_cd_inside_the_workspace_is_not_asked_about(project: Project, line: str) -> None:
    judged = project.judged(line, {"bash": "ask"})
    assert (judged.outcome, judged.judged) == ("allow", ())


@corpus("line", ["cd ..", "cd link", "cd $x", "cd . && ls", "cd -", "# nothing", "x=1"], project=project_in)
def test_a_cd_that_leads_out_or_is_not_alone_is_asked_about(project: Project, line: str) -> None:
    (project.root / "link").symlink_to(project.outside)
    assert project.outcome(line, {"bash": "ask"}) == "ask"


def test_a_denied_cd_stays_denied(project: Project) -> None:
    assert project.outcome("cd .", {"bash": {"cd *": "deny"}}) == "deny"


@corpus(
    ("line", "pattern"),
    [
        ("echo x > out/../.git2/config", "> .git2/config"),
        ("cd src && echo x > config", "> src/config"),
        ("echo x >> ./a", ">> a"),
        ("echo x > link", "> src/real"),
        ("echo x > 'a b'", "> 'a b'"),
    ],
    project=project_in,
)
def test_a_redirection_is_named_by_the_file_that_it_writes(project: Project, line: str, pattern: str) -> None:
    (project.root / "out").mkdir()
    (project.root / "link").symlink_to("src/real")
    assert f"bash: {pattern}" in project.asked(line, {"bash": {"*": "ask", "echo *": "allow"}})


def test_a_rule_for_redirections_does_not_reach_where_it_does_not_say(project: Project) -> None:
    rules = {"bash": {"*": "ask", "echo *": "allow", "> out/*": "allow"}}
    assert project.outcome("echo x > out/a", rules) == "allow"
    assert project.outcome("echo x > out/../a", rules) == "ask"


def test_what_edit_denies_is_denied_to_redirections_and_what_it_asks_is_not_asked_twice(project: Project) -> None:
    bash = {"*": "allow"}
    assert project.outcome("a > out.txt", {"bash": bash}) == "allow"
    assert project.outcome("a > out.txt", {"bash": bash, "edit": {"*.txt": "deny"}}) == "deny"
    assert project.outcome("a > out.txt", {"bash": bash, "edit": "deny"}) == "deny"
    assert project.outcome("a > out.log", {"bash": bash, "edit": {"*.txt": "deny"}}) == "allow"


@corpus(
    "line",
    [
        "cat ~/.config/placet/keys.json",
        "cat $HOME/.config/placet/k*.json",
        "cat notes",
        "cat n*",
        "tool -ilink",
        "wc < notes",
        "cd ~/.config/placet && cat keys.json",
    ],
    project=project_in,
)
def test_the_file_of_keys_is_denied_to_commands(project: Project, line: str) -> None:
    (project.root / "notes").symlink_to(project.keys)
    (project.root / "link").symlink_to(project.keys)
    assert project.outcome(line, {"bash": "allow", "external_directory": "allow"}) == "deny"


def test_what_a_rule_for_read_denies_by_name_is_denied_to_commands(project: Project) -> None:
    (project.root / "private").mkdir()
    (project.root / "private" / "x").touch()
    (project.root / "p").symlink_to("private")
    rules = {"bash": "allow", "read": {"private/*": "deny"}}
    assert project.outcome("cat private/x", rules) == "deny"
    assert project.outcome("cat p/x", rules) == "deny"
    assert project.outcome("cat p/*", rules) == "deny"
    assert project.outcome("cat private/nothing", rules) == "allow"
    assert project.outcome("cat private/x", {"bash": "allow", "read": "deny"}) == "allow"


@corpus(
    "line",
    [
        "ln -s .. up && cat up/outside/secret",
        "mkdir -p d && (cd d && ln -s .. up) && mv d/up . && cat up/secret",
        "for i in 1 2; do cat up/secret; ln -s .. up; done",
        "find . -exec ln -s .. up \\; ; cat up/x",
        "sh -c 'ln -s .. up'; cat up/x",
        "mv src/up . && cat up/secret",
        "cp -a src/up . ; cat up/secret",
    ],
    project=project_in,
)
def test_paths_after_a_link_that_the_line_makes_are_unknown(project: Project, line: str) -> None:
    (project.root / "src" / "up").symlink_to("..")
    assert any("a link that" in one for one in project.asked(line))


@corpus("line", ["ln -s a b", "cat a && ln -s a b", "mv a b && cat b", "cp a b; cat b"], project=project_in)
def test_a_link_at_the_end_of_a_line_and_moved_files_are_no_doubt(project: Project, line: str) -> None:
    (project.root / "a").touch()
    assert project.asked(line) == set()


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's own")
@corpus(
    "line",
    [
        "cat /proc/self/cwd/../outside/secret",
        "cat /proc/thread-self/cwd/notes.md",
        "cat /proc/self/root/etc/hostname",
        "cat /pro*/self/cwd/notes.md",
        "cat src/../../../../../../../../../../../../proc/self/cwd/notes.md",
        "cat here/../outside/secret",
        "cat inner/here/notes.md",
        "cat h*/notes.md",
        "cat /dev/fd/../cwd/notes.md",
        "cd here && cat notes.md",
        "cp --target-directory=here/src notes.md",
        "cat far",
        "cat < here/notes.md",
    ],
)
def test_a_path_through_what_each_process_finds_otherwise_is_unknown(tmp_path: Path, line: str) -> None:
    project = project_in(tmp_path)
    (project.root / "notes.md").write_text("")
    (project.root / "here").symlink_to("/proc/self/cwd")
    (project.root / "inner").symlink_to(".")
    (project.root / "far").symlink_to("here/notes.md")
    assert project.outcome(line) == "ask"


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's own")
def test_links_that_lead_round_in_circles_lead_through_nothing_unknown(project: Project) -> None:
    (project.root / "one").symlink_to("two")
    (project.root / "two").symlink_to("one")
    assert project.outcome("cat one/x") == "allow"
