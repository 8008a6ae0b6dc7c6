"""Command lines made up of a program's options and of values that try to become code: for a run by the real program."""

from dataclasses import dataclass
from pathlib import Path
from random import Random

MARKER = "pwned"
"""The file that must not appear."""
_TOUCH = f"touch {MARKER}"


@dataclass(frozen=True, slots=True)
class Pool:
    """What the lines for one program are made of."""

    options: tuple[str, ...]
    values: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    """Texts that are put on its standard input."""


def _pool(options: str, values: tuple[str, ...], inputs: tuple[str, ...] = ()) -> Pool:
    return Pool(tuple(options.split()), values, inputs)


_PYTHON = f'open("{MARKER}","w")'
_PERL = f'open(F,">{MARKER}")'
_NODE = f'require("fs").writeFileSync("{MARKER}","")'
_AWK = f'BEGIN{{system("{_TOUCH}")}}'
_LUA = f'io.open("{MARKER}","w"):close()'
POOLS: dict[str, Pool] = {
    "python3": _pool(
        "-c -m -W -X -u -B -I -i -x -q -E -Bc -Ic -uW -Wc -Xc -mc --check-hash-based-pycs --version --help -mtimeit",
        (_PYTHON, "ignore", "utf8", "always", "timeit", "pdb", "ok.py", "json.tool", "-", "--", f"-c{_PYTHON}"),
        (_PYTHON,),
    ),
    "perl": _pool(
        "-e -E -w -W -I -Ilib -n -p -l -0 -i -s -we -nle -F -Fx -M -Mstrict -x -S -c -v -t -I-e -le -0777",
        (_PERL, "lib", "ok.pl", "-", "--", f"-e{_PERL}", f"{_TOUCH}|", f">{MARKER}"),
        (_PERL,),
    ),
    "ruby": _pool(
        "-e -w -I -Ilib -n -p -l -0 -r -rjson -W0 -W -E -Eutf-8 -C -S -c -v --disable gems --disable=gems -x -ne -we",
        (_PERL.replace("open(F,", "File.write("), f'File.write("{MARKER}","")', "lib", "ok.rb", "-", "--", "utf-8"),
        (f'File.write("{MARKER}","")',),
    ),
    "node": _pool(
        "-e -p -pe -r --eval --print --title --test-name-pattern --max-old-space-size --max-old-space-size=99 -c -i"
        " --enable-source-maps --no-warnings --conditions -C --stack-size --stack-trace-limit --unhandled-rejections"
        " --check --input-type=commonjs --trace-warnings --eva",
        (_NODE, "x", "strict", "ok.js", "-", "--", f"--eval={_NODE}", f"-e={_NODE}"),
        (_NODE,),
    ),
    "lua": _pool("-e -l -v -i -E -W -ve", (_LUA, "ok.lua", "-", "--", f"-e{_LUA}"), (_LUA,)),
    "awk": _pool(
        "-v -F -f -W -F: -va=b -vx=1 --version -e --exec -Wexec -W1 -f- --file --assign",
        (_AWK, "x=1", ":", "script.awk", "1", "f", "-", "--", f'{{print > "{MARKER}"}}', f'1{{print|"{_TOUCH}"}}',
         "exec", "{print $1}"),
        (_AWK,),
    ),
    "sed": _pool(
        "-n -e -f -i -E -r -s -u -z -l -l5 -ne -nf -i.bak --expression --expr --fi --file --in-place --line-length"
        " --quiet --posix --debug -ep -l1 --nu",
        (f"1e {_TOUCH}", f"s/a/{_TOUCH}/e", f"w{MARKER}", f"s/a/b/w {MARKER}", "p", "s/a/b/", "1d", "script.sed", "f",
         "-", "--", f"--expression=1e {_TOUCH}", "a\\", "b", "e", "s/[/]/x/", f"s/[/]e {_TOUCH}/x/", "y/ab/ba/", "$!N"),
        (f"1e {_TOUCH}",),
    ),
    "sort": _pool(
        "-o -T -S -k -t -u -n -S1k -S 1k --output --outp --compress-program --comp --files0-from --batch-size=2 --key"
        " --parallel=1 -uo -m -z --debug",
        ("./ev", "big", "f", MARKER, f"-o{MARKER}", f"--out={MARKER}", "--compress-program=./ev", "--comp=./ev", ".",
         "1k", "1", "-", "--", "list"),
    ),
    "split": _pool(
        "-a -b -C -l -n -t -d --filter --fil --additional-suffix --lines --bytes --suffix-length -l1 -dl --verbose",
        (_TOUCH, f"--filter={_TOUCH}", f"--fil={_TOUCH}", "1", "2", "f", "part", "-", "--", "x"),
    ),
    "tar": _pool(
        "-c -f -cf -I -F -x -xf -t -tf cf cfI -C -T --use-compress-program --use-c --to-command --checkpoint"
        " --checkpoint=1 --checkpoint-action --info-script --exclude -V -b -L -cvf -cfI --rsh-command",
        ("./ev", "f", "a.tar", "t.tar", "-I./ev", "--use-compress-program=./ev", "--to-command=./ev",
         "--checkpoint-action=exec=./ev", "exec=./ev", "1", ".", "-", "--", "list", "host:x", "--rsh-command=./ev"),
    ),
    "make": _pool(
        "-f -C -E -I -j -n -s -B -o -W --eval --ev --file --directory -e -k -sE -j2 -l --old-file -k",
        (f"$(shell {_TOUCH})", f"--eval=$(shell {_TOUCH})", f"X=$(shell {_TOUCH})", f"X!={_TOUCH}", "SHELL=./ev", "all",
         "CC=./ev", "cc", "ok.mk", ".", "-", "--", "V=1", f"X:=$(shell {_TOUCH})"),
        (f"$(shell {_TOUCH})",),
    ),
    "find": _pool(
        "-name -exec -execdir -ok -fprintf -fprint -fls -fprint0 -printf -delete -type -maxdepth -newer -size -path -o"
        " -not ( ) ! -a , -D -O2 -regextype -files0-from -L",
        (".", "f", MARKER, "touch", "sh", "-c", _TOUCH, "{}", ";", "+", "x", "1", "--", "echo {}", "env", "{}x"),
    ),
    "rg": _pool(
        "-e -f -g -n -N -r -A -m -t --pre --pre=./ev --pre-glob --hostname-bin --regexp --files -c -uu --sort --color"
        " --hyperlink-format=default --no-config -ne --no-ignore --null -z",
        ("./ev", "a", "f", "path", ".", "--pre=./ev", "--hostname-bin=./ev", "-", "--", "1", "*", "sh"),
    ),
    "git": _pool(
        "grep log diff config -e -O --open-files-in-pager --open -n --output --outp archive ls-remote fetch clone -o"
        " --upload-pack --upl --sort -b rebase -x --exec --exe -X --root -c --get --get-all --add --type push"
        " --receive-pack --repo -m commit --allow-empty -F bundle create show --ext-diff --textconv cat-file -p -s"
        " --format --grep -S -u format-patch --stdout shortlog hash-object status",
        (_TOUCH, f"{_TOUCH};:", f"-O{_TOUCH};:", f"--upload-pack={_TOUCH};:", f"--exec={_TOUCH}", MARKER, "HEAD", "a",
         f"--output={MARKER}", f"-o{MARKER}", ".", "core.fsmonitor", "core.pager", "f", "--",
         f"--receive-pack={_TOUCH};:", "copy", "main", "-", "user.name", f"alias.x=!{_TOUCH}", "x"),
    ),
    "xargs": _pool(
        "-n -I -I{} -a -d -i -e -l -L -P -0 -r -t --replace --max-args --arg-file --eof --max-lines --delimiter",
        ("echo", "sh", "-c", _TOUCH, "touch", "1", "{}", "words", "x", "--", "-", MARKER),
        (f"-c '{_TOUCH}'", MARKER),
    ),
    "env": _pool(
        "-i -u -S -C -0 -v -S- --split-string --split --unset --chdir --ignore-environment -iS -vS",
        (_TOUCH, "touch", MARKER, "x=1", "a=b", "echo", "x", "--", "-", f"-S{_TOUCH}", f"--split-string={_TOUCH}", "sh",
         "-c", f"BASH_FUNC_echo%%=() {{ {_TOUCH}; }}", "bash", "echo a"),
    ),
    "bash": _pool(
        "-c -s -i -x -e -l -O -o --rcfile --norc --posix -ec -cx +x -lc --init-file --noprofile -cs",
        (_TOUCH, "echo a", "ok.sh", "extglob", "errexit", "x", "--", "-", "-x"),
        (_TOUCH,),
    ),
    "sh": _pool(
        "-c -s -e -x -o -ec -cx -i",
        (_TOUCH, "echo a", f"[[ a || {_TOUCH} ]]", f"echo $'a\\'; {_TOUCH}; echo 'b'", "ok.sh", "--", "-"),
        (_TOUCH,),
    ),
    "sqlite3": _pool(
        "-cmd -init --init -header -csv -separator -batch -nullvalue -interactive --cmd -A -bail -line",
        (f".shell {_TOUCH}", "script.sql", "app.db", "select 1", f"select writefile('{MARKER}','x')", ":memory:",
         f".output {MARKER}", "x", f"attach '{MARKER}' as y; create table y.t(a)", f"vacuum into '{MARKER}'", ","),
        (f".shell {_TOUCH}",),
    ),
    "curl": _pool(
        "-K -o -O -s -S -A -H -e -D -c --config --conf --output --outp -sK -so -q --stderr --trace -u -w --libcurl"
        " --create-dirs -T -X",
        ("cfg", MARKER, f"-o{MARKER}", "-Kcfg", "file:f", "--", "-", "x", f"--output={MARKER}", "--config=cfg"),
    ),
    "uniq": _pool("-c -d -u -f -s -w -i --count --skip-fields", ("f", MARKER, "1", "--", "-")),
    "dd": _pool("", ("if=f", f"of={MARKER}", "bs=1", "count=1", "of=out", "status=none")),
    "tee": _pool("-a -i -p --append", (MARKER, "--", "out", "/dev/null")),
}  # fmt: skip


def hostile_line(random: Random, program: str) -> str:
    """Return a call of the program with random options and values, quoted or in descriptors, and perhaps an input."""
    pool = POOLS[program]
    words = [program]
    for _ in range(random.randint(1, 6)):
        is_option = pool.options and random.random() < 0.5
        words.append(_quoted(random.choice(pool.options if is_option else pool.values)))
    if pool.inputs and random.random() < 0.4:
        text = _quoted(random.choice(pool.inputs))
        place = random.choice(["", "", "/dev/stdin", "/dev/fd/0", "-", "/proc/self/fd/0", f"<(echo {text})"])
        words.insert(random.randint(1, len(words)), place)
        line = " ".join(word for word in words if word)
        return random.choice([f"{line} <<< {text}", f"echo {text} | {line}"])
    return " ".join(words)


def _quoted(text: str) -> str:
    return (
        text
        if text.replace("-", "").replace(".", "").replace("/", "").isalnum() or text == "--"
        else ("'" + text.replace("'", "'\\''") + "'")
    )


def lay_out(directory: Path) -> None:
    """Write the files that the lines name: scripts that do nothing, and one program and lists that do."""
    for name in ("ok.py", "ok.pl", "ok.rb", "ok.js", "ok.lua", "ok.sh"):
        (directory / name).write_text("")
    files = {
        "ev": f"#!/bin/sh\n{_TOUCH}\ncat\n",
        "f": "a\nb\na\n",
        "big": "".join(f"{number * 7919 % 100003}\n" for number in range(3000)),
        "list": f"{MARKER}\0f\0",
        "words": f"-c '{_TOUCH}'\n",
        "script.awk": _AWK,
        "script.sed": f"1e {_TOUCH}\n",
        "script.sql": f".shell {_TOUCH}\n",
        "cfg": f'url = "file://{directory}/f"\noutput = "{MARKER}"\n',
        "Makefile": "all:\n\t@true\n",
        "ok.mk": "all:\n\t@true\n",
    }
    for name, text in files.items():
        (directory / name).write_text(text)
    (directory / "ev").chmod(0o755)
    (directory / "lib").mkdir()
