from pathlib import Path

from corpus_support import corpus
from placet.permissions.shell import Findings, analyse
from work_support import steps
from work_support.hostile import ORDINARY_LINE

WORK = Path("/srv/project")
HOME = Path("/home/someone")


def found(line: str) -> Findings:
    return analyse(line, directory=WORK, home=HOME)


def texts(line: str) -> list[str]:
    return [command.text for command in found(line).commands]


def outside(line: str) -> list[str]:
    paths = [Path(path).as_posix() for path in found(line).paths]
    return [path for path in paths if not path.startswith(WORK.as_posix()) or ".." in path]


@corpus(
    ("line", "expected"),
    [
        ("a x | b; c && d || e & f", ["a x", "b", "c", "d", "e", "f"]),
        ('a "$(b; c)" `d`', ["b", "c", "d", 'a "$(b; c)" `d`']),
        (
            "env X=1 timeout 5 nice -n 3 a x",
            ["env X=1 timeout 5 nice -n 3 a x", "timeout 5 nice -n 3 a x", "nice -n 3 a x", "a x"],
        ),
        ("sudo -u me a x", ["sudo -u me a x", "a x"]),
        (
            "find . -name x -exec a {} \\; -execdir b {} +",
            ["find . -name x -exec a {} \\; -execdir b {} +", "a {}", "b {}"],
        ),
        ("find src -delete", ["find src -delete", "rm -r src"]),
        ("xargs -n 1 a x", ["xargs -n 1 a x", "a x"]),
        ("sh -c 'a; b $(c)'", ["sh -c 'a; b $(c)'", "a", "c", "b $(c)"]),
        ("eval 'a' x", ["eval a x", "a x"]),
        ("trap 'a' EXIT", ["trap a EXIT", "a"]),
        ("uv run a x", ["uv run a x", "a x"]),
        ("a > out 2>> err < in", ["a", "> out", ">> err"]),
        ("a > /dev/null 2>&1", ["a"]),
        ("'a'  \"b\"\tc", ["a b c"]),
        ("a 'b c'", ["a 'b c'"]),
        ("f() { a; }; f", ["a", "f"]),
        ("cat <<E | b\n$(c)\nE", ["cat", "b", "c"]),
        ("kubectl apply -f - <<EOF\nx: $y\nEOF", ["kubectl apply -f -"]),
        ("git commit -F - <<'EOF'\nx $(not run)\nEOF", ["git commit -F -"]),
        ("a - <<EOF -x\nx\nEOF", ["a - -x"]),
        ("a x <<< - -", ["a x -"]),
        ("cat <<EOF | a -f - -n x\nx\nEOF", ["cat", "a -f - -n x"]),
        ("", []),
        ("# nothing", []),
    ],
)
def test_every_command_is_found_in_its_simplest_spelling(line: str, expected: list[str]) -> None:
    assert sorted(texts(line)) == sorted(expected)


@corpus(
    ("line", "expected"),
    [
        ("cat /etc/passwd", ["/etc/passwd"]),
        ("cat ~/.ssh/id", ["/home/someone/.ssh/id"]),
        ("cat '~/x'", ["/home/someone/x"]),
        ("a > ../out", ["/srv/project/../out"]),
        ("cd .. && a x", ["/srv/project/..", "/srv/x"]),
        ("cd sub && cd .. && a x", ["/srv/project/sub/.."]),
        ("(cd /etc); a x", ["/etc"]),
        ("cd /etc | a x", ["/etc"]),
        ("cd /etc; a x", ["/etc", "/etc/x"]),
        ("cd && a x", ["/home/someone", "/home/someone/x"]),
        ("cd /etc || a x", ["/etc"]),
        ("dd if=/dev/zero of=/etc/x", ["/etc/x"]),
        ("tool --file=/etc/x -o/etc/y @/etc/z", ["/etc/x", "/etc/y", "/etc/z"]),
        ("docker run -v /etc:/x image", ["/etc:/x", "/etc", "/x"]),
        ("rm /etc/*.conf", ["/etc/"]),
        ("tar -C / -xf a.tar", ["/"]),
        ("grep -rn /api/users src", []),
        ("sed -n /x/p a", []),
        ("awk '/x/ {print}' a", []),
        ("curl http://example.org/x", []),
        ("echo /etc/passwd", []),
        ("git commit -m /etc/x", []),
        ("git -C /etc status", ["/etc"]),
        ("diff /dev/null /dev/stdin", []),
    ],
)
def test_places_outside_are_found(line: str, expected: list[str]) -> None:
    assert sorted(outside(line)) == sorted(str(Path(path)) for path in expected)


@corpus(
    "line",
    [
        "$x",
        "./a*",
        "rm $x",
        "a > $x",
        "cd $x && a",
        "cd -",
        "while cd ..; do a; done",
        "python -c x",
        "python3.11 -Bc x",
        "python < x",
        "python -",
        "node --eval=x",
        "perl -ne x",
        "php -r x",
        "awk 'BEGIN { system(x) }'",
        "sed -e 1w/etc/x a",
        "ssh host a",
        "xargs a",
        "rsync -e 'sh x' a b",
        "sort --compress-program=x a",
        "rg --pre x y",
        "nice --what a",
        "bash --rcfile x",
        'eval "$x"',
        'sh -c "$x"',
        "PATH=x a",
        "http_proxy=x a",
        "source x",
        "set -k; a",
        "a {b,c}",
        "a ~other/x",
        "a $'\\x41'",
        "a(",
        "if a",
    ],
)
def test_what_cannot_be_proved_is_said_to_be_so(line: str) -> None:
    assert found(line).unproved


@corpus(
    "line",
    [
        "python script.py -c x",
        "python -m pytest -q -c x",
        "python --version",
        "node script.js -e",
        "bash script.sh",
        "perl script.pl -e x",
        "awk '{print $1}' a",
        "sed -n 1,20p a",
        "sed -i s/a/b/g a",
        "sed -e 's|/a|/b|' -e '/x/d' a",
        "ls *.py",
        'echo "$HOME" $x',
        '[ "$x" = y ] && a',
        "a 'x y' \"z\" $'t\\n'",
        "diff <(a) <(b)",
        "for x in 1 2; do a; done",
        "set -euo pipefail; a",
        "a \\\n  b \\\n  c",
        "xargs echo",
        "timeout --signal=KILL 5 a",
        "kubectl apply -f - <<EOF\nx: $y ${z:-1} \\$(b)\nEOF",
        "git commit -F - <<'EOF'\nx\nEOF",
        'echo "${x}" "${x:-y}" "${#x}" "${x%.py}" "${x##*/}" "${x/a/b}" "${x//a}" "${x^^}" "${x:0:7}" "${x: -3}"; a',
        'echo "$1" "${10}" "${1:-x}" "${@}" "$#" "$?" "${a[0]}" "${a[@]}" "${#a[@]}"; a',
        '[ ! -f x ] && [ "$x" != y ] && [ -n "$x" -a -z "$y" ] && [ $# -eq 0 ] && [ -f a*.py ] && a',
        "[[ -f $x && ! -d y && $x == y* ]] && a",
        "printf '%s: %5.2f%%\\n' \"$x\" 1 *.py; a",
        'export x="$y" LANG=C; a',
        "time -p a; ! time a; time a | b",
        "echo *; : *; a",
    ],
)
def test_what_is_plain_is_proved(line: str) -> None:
    assert found(line).unproved == ()


@corpus("line", ["cd d && a > o | b x", "cd d && a > o | eval 'b x'", "cd d && a 2>&1 > o | b x | b x"])
def test_a_command_behind_a_pipe_runs_where_the_last_command_of_the_list_runs(line: str) -> None:
    assert WORK / "d/x" in found(line).paths


def test_an_ordinary_line_is_read_in_few_steps() -> None:
    found(ORDINARY_LINE)
    assert steps(lambda: found(ORDINARY_LINE)) < 15_000


@corpus("text", ["{\u4e2d", "*{\U0001f600\\^b{.", "\ua082*{\U00025af3x^"])
def test_a_character_the_grammar_dies_of_does_not_reach_it(text: str) -> None:
    """tree-sitter-bash 0.25.1 takes the process with it when its scanner meets these."""
    assert analyse(text, directory=WORK, home=HOME).unproved


def test_words_beyond_ascii_are_kept() -> None:
    assert found("git commit -m 'f\u00e0 \u4e2d' \u00e9t\u00e9").commands[0].argv == (
        "git",
        "commit",
        "-m",
        "f\u00e0 \u4e2d",
        "\u00e9t\u00e9",
    )
