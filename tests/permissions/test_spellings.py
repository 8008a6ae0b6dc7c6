"""A rule that asks or denies holds for each spelling of a command, a rule that allows for the command as written."""

import itertools
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus, examples
from placet.permissions.ask import Ask, Vouched
from placet.permissions.decision import Verdict, verdict_on
from placet.permissions.rules import UNPROVED, builtin_rules, from_config
from placet.permissions.spellings import means
from placet.project.paths import Workspace
from placet.sessions.asks.explain_asks import questions_of
from shell_support.spelled import fuzz

ON_BASH = pytest.mark.skipif(sys.platform == "win32", reason="bash is not there")
MEANT = """
git push * | git -C sub push
git push * | git --git-dir x push origin
git push * | git-push origin
git push * | git.exe push
git add -A* | git add --all
git add -A* | git add . -A
git push --force* | git push origin main -f
git push --force* | git push origin +main
git push --delete * | git push origin :main
git branch --delete --force * | git branch -D x
git commit --no-verify* | git commit -nm x
git -C /etc * | git -C/etc status
git checkout -- * | git checkout -- x
git checkout -f * | git checkout --force x
rm -rf * | rm -v -Rf x
rm -rf * | rm x -rf
rm -rf src* | rm -rf a src
*rm -rf* | rm -fr x
git*push*--force* | /usr/bin/git -C x push origin -f
git push*main | git -P push origin main
*--force* | git push -f
cargo publish * | cargo +nightly publish
make deploy * | make -j4 V=1 build deploy
npm run deploy * | npm --a 1 --b 2 --c 3 --d 4 --e 5 --f 6 --g 7 --h 8 run --silent deploy
npm publish * | npm publis
yarn run deploy* | yarn deploy
docker rmi * | docker image rm x
docker compose down * | docker-compose -f x.yml down -v
docker run --privileged* | docker run -it --rm --privileged=true x
kubectl delete * | kubectl -n prod delete pod x
kubectl -n prod * | kubectl delete pod x --namespace=prod
kubectl delete pod * | kubectl delete --now po/x
terraform apply -auto-approve* | terraform -chdir=x apply --auto-approve
gh pr merge * | gh pr --repo a/b merge 3
pip install * | python3.11 -m pip -q install x
python -m pip install * | pip3 install x
pip install * | python3 -I -W ignore -mpip install x
pip install * | py -Im pip install x
npm publish * | npm@10 publish
git push origin main * | git push origin HEAD:refs/heads/main
git push origin main | git push origin +main
rm -rf src | rm -rf ./src/
rm -rf src/* | rm -rf src/../src/a
uv pip install * | uv --quiet pip install x
""".strip().splitlines()
NOT_MEANT = """
git push * | git -C sub status
git push * | git commit -m push
git push --force* | git push origin main
git push -f * | git push -ofoo origin
git commit --no-verify* | git commit -mfinal
git stash drop * | git stash list
git add -A* | git add x
rm -rf * | rm -r x
rm * | docker rm x
docker rm * | docker rmi x
make deploy * | make build
npm init * | npm i x
npm run deploy* | npm run build
kubectl delete * | kubectl get pods
kubectl -n prod * | kubectl -n test get pods
git push | git push origin
""".strip().splitlines()


@corpus("row", MEANT)
def test_a_pattern_means_the_command_in_another_spelling(row: str) -> None:
    pattern, command = row.split(" | ")
    assert means(pattern, shlex.split(command))


@corpus("row", NOT_MEANT)
def test_a_pattern_means_no_other_command(row: str) -> None:
    pattern, command = row.split(" | ")
    assert not means(pattern, shlex.split(command))


def verdict(permission: Any, line: str, *patterns: str, vouched: Vouched = "") -> Verdict:
    """Return the verdict of rules on a command, or on patterns beside it."""
    ask = Ask("bash", patterns or (line,), (), line, commands=((line, tuple(line.split())),), vouched=vouched)
    return verdict_on(
        ask, builtin_rules() + from_config(permission, "the test"), (), lambda _permission, _pattern: None
    )


@corpus(
    ("bash", "line", "action"),
    [
        ({"*": "allow", "git push *": "ask"}, "git -C sub push", "ask"),
        ({"*": "allow", "git push *": "deny"}, "git -C sub push", "deny"),
        ({"*": "ask", "git push *": "allow"}, "git -C sub push", "ask"),
        ({"git *": "ask", "git -C sub status *": "allow"}, "git -C sub status", "allow"),
        ({"git push *": "ask", "git *": "allow"}, "git -C sub push", "allow"),
        ({"rm -rf *": "deny", "rm -r *": "allow"}, "rm -r -f x", "deny"),
        ({"*": "ask", "npm run test *": "allow"}, "npm run test", "allow"),
        ({"git push *": "ask", "git push --force *": "deny"}, "git push -f", "deny"),
    ],
)
def test_a_stricter_rule_wins_unless_it_matches_as_written_and_is_overruled(
    bash: dict[str, str], line: str, action: str
) -> None:
    assert verdict({"bash": bash}, line).action == action


@corpus("vouched", ["sandbox", "reading", "leaving"])
def test_no_built_in_allowance_outranks_a_rule_that_means_the_command(vouched: Vouched) -> None:
    assert verdict({"bash": {"git push *": "ask"}}, "git -P push", vouched=vouched).action == "ask"
    assert verdict({"bash": {"git push *": "deny"}}, "git -P push", vouched=vouched).action == "deny"
    assert verdict({"bash": {"git pull *": "ask"}}, "git -P push", vouched=vouched).action == "allow"


def test_a_denial_holds_for_a_command_that_needs_no_rule() -> None:
    denied = {"bash": {"*": "allow", "git push *": "deny"}}
    assert verdict(denied, "git -P push", "make").action == "deny"
    assert verdict({"bash": {"*": "allow", "git push *": "ask"}}, "git -P push", "make").action == "allow"


RESTRICTIONS: list[dict[str, str]] = [{}, {"git push *": "ask"}, {"git push *": "deny"}, {"*x*": "ask"}]


@corpus(("restriction", "vouched"), itertools.product(RESTRICTIONS, ["", "sandbox"]))
def test_what_is_not_proved_is_unasked_only_where_everything_is_allowed_and_no_rule_restricts_commands(
    restriction: dict[str, str], vouched: Vouched
) -> None:
    allowing: list[Any] = [
        {"bash": {"*": "allow", **restriction}},
        {"*": "allow", "bash": {"*": "allow", **restriction}},
        {"*": "ask", "bash": {"*": "allow", **restriction}},
        {"edit": "deny", "bash": {"**": "allow", **restriction}},
    ]
    for permission in allowing:
        action = verdict(permission, "eval x", f"{UNPROVED}eval x", vouched=vouched).action
        assert action == ("ask" if restriction else "allow"), permission
    for permission in ({"bash": {**restriction, "*": "allow"}}, {"bash": restriction, "*": "allow"}):
        action = verdict(permission, "eval x", f"{UNPROVED}eval x", vouched=vouched).action
        assert action == "allow", "the last rule overrules each other rule"
    for permission in ({"bash": {"*": "ask", **restriction}}, {"bash": restriction}, {}):
        action = verdict(permission, "eval x", f"{UNPROVED}eval x", vouched=vouched).action
        is_vouched = vouched and not permission.get("bash")
        assert action == ("allow" if is_vouched else "ask"), permission
    allowed = {"bash": {"*": "allow", "git push *": "ask", f"{UNPROVED}*": "allow"}}
    assert verdict(allowed, "eval x", f"{UNPROVED}eval x", vouched=vouched).action == "allow", "a rule for doubts"


@ON_BASH
@corpus(
    "line",
    [
        "time -p CI=1 git push",
        "xvfb-run -a git push",
        "xvfb-run bash <<< 'git push'",
        "hyperfine 'git -C . push'",
        "corepack git push",
        f"hyperfine {'a ' * 70}'git push'",
        "/usr/bin/git push",
        'git -P commit -m "$(cat x)" && git -C sub push "$X"',
    ],
)
def test_a_command_behind_another_program_is_asked_with_everything_else_allowed(tmp_path: Path, line: str) -> None:
    rules = builtin_rules() + from_config({"*": "allow", "bash": {"*": "allow", "git push *": "ask"}}, "the test")
    asks = questions_of("bash", line, Workspace((tmp_path,)), lambda _permission, _pattern: "allow").asks
    assert "ask" in [verdict_on(ask, rules, (), lambda _permission, _pattern: None).action for ask in asks]


@ON_BASH
def test_no_spelling_of_a_denied_or_asked_action_is_allowed(tmp_path: Path) -> None:
    for seed in (1, 2):
        assert fuzz(examples(200), seed, tmp_path) == [], f"of seed {seed}"


@ON_BASH
@pytest.mark.long
def test_no_spelling_in_two_thousand_of_each_of_twenty_programs_is_allowed(tmp_path: Path) -> None:
    assert fuzz(40_000, 3, tmp_path) == []
