"""Lines of PowerShell: the commands found, the places named, and the lines that are left to the user."""

from functools import partial
from pathlib import PureWindowsPath

from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import corpus, examples
from placet.permissions.powershell import analyse
from placet.permissions.shell import Findings
from work_support import steps
from work_support.hostile import POWERSHELL

DIRECTORY = PureWindowsPath("C:\\p")
HOME = PureWindowsPath("C:\\Users\\ada")


def read(line: str) -> Findings:
    return analyse(line, directory=DIRECTORY, home=HOME)


def commands(line: str) -> list[str]:
    return [command.text for command in read(line).commands if not command.harmless]


@corpus(
    ("line", "texts"),
    [
        ("git status --short; npm run build", ["git status --short", "npm run build"]),
        ("git log --author=x -1 --format=%h HEAD^ HEAD~2", ["git log --author=x -1 --format=%h HEAD^ HEAD~2"]),
        ("npm run build -- --watch", ["npm run build -- --watch"]),
        ("a && b || c", ["a", "b", "c"]),
        ("x a\nrm b", ["x a", "rm b"]),
        ("foo 2>$null", ["foo"]),
        ("x *>&1", ["x"]),
        ("$x = git log", ["git log"]),
        ("if (Test-Path x) { rm x }", ["Test-Path x", "rm x"]),
        ("try { rm x } catch { rm y }", ["rm x", "rm y"]),
        ("gci src | Where-Object { $_.Length -gt 10 } | Select-Object Name", ["gci src"]),
        ('git commit -m "a b"', ['git commit -m "a b"']),
        ("x;&rm y", ["x", "rm y"]),
        ("npx foo bar", ["foo bar", "npx foo bar"]),
        ("echo hi > out.txt", ["> out.txt"]),
        ("rm -Path:x", ["rm -Path x"]),
        ("git add é.txt", ["git add é.txt"]),
    ],
)
def test_the_commands_of_a_plain_line_are_found_and_vouched_for(line: str, texts: list[str]) -> None:
    assert sorted(commands(line)) == sorted(texts)
    assert read(line).unproved == ()


@corpus(
    "line",
    [
        "iex 'rm x'", "Invoke-Expression x", "start notepad", "powershell -c x", "CMD.exe /c dir", "& $x", "x $y",
        "x $(rm y)", 'x "$(rm y)"', 'echo "$env:KEY"', "[IO.File]::Delete('x')", "$x.Delete()", "function f { rm x }",
        "x --% a", "x a`\nb", "rm x # y", "$env:PATH = 'a'", "${x} = 1", "$PSDefaultParameterValues = 1", ". ./x.ps1",
        "x @args", "x @{a=1}", "% Delete", "Set-Alias git rm", "cat HKLM:\\x", "Set-Content function:git x", "x 'a",
        "rm x\u2028rm y", "sort \u2013x", "x \u2018a\u2019", "git log --output=x", "cd $x; rm y", "x a > $y",
        "git commit -m 'a\u2019; rm x; \u2018b'", 'git commit -m "a\u201d; rm x; \u201cb"', "python -c 'print(1)'",
        "[void](rm x)", "x { rm y }", "switch (1) {1 {rm x}}", "x &", "git a,b", "Pop-Location; rm x",
        "git -c core.pager=x log", "while (1) { rm x }", "gci | ForEach-Object { $_.Delete() }",
    ],
)  # fmt: skip
def test_a_line_that_only_powershell_can_judge_is_left_to_the_user(line: str) -> None:
    assert read(line).unproved


@corpus(
    ("line", "denied"),
    [
        ("rm x", "Remove-Item x"),
        ("DEL x", "Remove-Item x"),
        ("remove-item x", "Remove-Item x"),
        ("C:\\tools\\git.exe push", "git push"),
        ("GIT push", "git push"),
        ("iwr https://x", "Invoke-WebRequest https://x"),
        ("gci | % { ri $_ }", "Remove-Item $_"),
        ('x "$(curl y)"', "Invoke-WebRequest y"),
    ],
)
def test_a_rule_that_denies_a_command_meets_each_of_its_names(line: str, denied: str) -> None:
    assert denied in [command.text for command in read(line).commands]


@corpus(
    ("line", "places"),
    [
        ("cat .env", {("C:\\p\\.env", "reads")}),
        ("rm ..\\x", {("C:\\p\\..\\x", "writes")}),
        ("Get-Content ~\\.ssh\\id", {("C:\\Users\\ada\\.ssh\\id", "reads")}),
        ("cat C:\\secrets\\a", {("C:\\secrets\\a", "reads")}),
        ("cat \\secrets\\a", {("C:\\secrets\\a", "reads")}),
        ("cat \\\\host\\share\\a", {("\\\\host\\share\\a", "reads")}),
        ("ls *.py", {("C:/p/*.py", "reads")}),
        ("cd src; rm x", {("C:\\p\\src", "reads"), ("C:\\p\\x", "writes"), ("C:\\p\\src\\x", "writes")}),
        ("x > out.txt", {("C:\\p\\out.txt", "writes")}),
        ("rm -LiteralPath 'a b'", {("C:\\p\\a b", "writes")}),
        ("foo --file=x", {("C:\\p\\x", "may write")}),
        ("& '.\\my tool.exe' a", {("C:\\p\\my tool.exe", "reads"), ("C:\\p\\a", "may write")}),
    ],
)
def test_the_places_that_a_line_names_are_found(line: str, places: set[tuple[str, str]]) -> None:
    assert {(named.path, named.effect) for named in read(line).named} == places


def test_a_redirection_names_the_file_in_each_directory() -> None:
    (redirection,) = [command for command in read("cd src; echo a > b").commands if command.targets]
    assert set(redirection.targets) == {"C:\\p\\b", "C:\\p\\src\\b"}


def test_a_command_that_only_moves_or_prints_needs_no_rule() -> None:
    assert commands("cd src; Write-Output done | Out-String") == []
    assert read("cd src").commands[0].only_moves


@settings(max_examples=examples(100))
@given(st.text(st.sampled_from("ab $(){}[]'\"`;|&>-:,.\\/@#%\n"), max_size=30))
def test_any_line_gets_findings(line: str) -> None:
    findings = read(line)
    assert findings.commands or findings.doubts or not findings.unproved


@settings(max_examples=examples(100))
@given(st.sampled_from(["{}", "a; {}", "a | {}", "if (a) {{ {} }}", "x (x ({}))", 'x "$({})"', "a && {}", "$x = {}"]))
def test_no_surrounding_hides_a_command(shape: str) -> None:
    line = shape.format("Remove-Item secret")
    findings = read(line)
    assert any("Remove-Item secret" in command.text for command in findings.commands)


@corpus("name", POWERSHELL)
def test_the_work_for_a_hostile_line_grows_with_its_length(name: str) -> None:
    read("a; b | c")  # The grammar is loaded by the first line.
    few, many = (steps(partial(read, POWERSHELL[name](length))) for length in (350, 1_400))
    assert many < 6 * few
