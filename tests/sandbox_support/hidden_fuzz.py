"""Random hostile lines under real bash in the sandbox: none tells a hidden file, or leaves a copy or a process.

By hand, with `tests` on the path: `python -m sandbox_support.hidden_fuzz --lines 100000 --seed 1`.
"""

import argparse
import asyncio
import base64
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from overlay_support.bubblewrap import can_overlay
from placet.core.values import replace
from placet.permissions.rules import builtin_rules, evaluate, from_config
from placet.project.paths import Workspace
from placet.sandbox.containment import Containment
from placet.sandbox.overlay.layers import new_layer
from placet.tools.framework.access import reading_rules
from sandbox.workshop import Workshop, processes_with

SECRET = "MARKOFASECRET0123456789"
HIDDEN = (".env", "conf/.env.production", "node_modules/x/.env", ".hidden/deep/.env", ".envrc", "keys/id", "linked.txt")
"""Files with the secret; `a.env` is a link to the last one."""
BATCH = 50
"""Number of lines that run in one sandbox and one project."""
_LINE_SECONDS = 1
_SPELLINGS = r"""
{f}
./{f}
$PWD/{f}
{d}/../{f}
/proc/self/cwd/{f}
/proc/self/root$PWD/{f}
'{f}'
{g}
{h}
$(printf {f})
/proc/$$/cwd/{f}
/dev/fd/../../self/cwd/{f}
a.env
~+/{f}
""".strip().splitlines()
_READERS = r"""
cat F
head -c 999 F
tail -n 9 F
tac F
nl F
rev F | rev
sort F
uniq F
cut -c1- F
paste F
fold F
tr a a < F
tee < F
od -An -c F
xxd -p F
base64 F
strings F
sed p F
awk 1 F
perl -ne print F
python3 -c 'import sys;print(open(sys.argv[1]).read())' F
wc F && cat < F
grep -a . F
rg -uu . F
rg -uuu MARK D
rg --hidden --no-ignore MARK D
grep -ra MARK D
diff /dev/null F
grep -r --include='.e[^a]v' MARK D
diff -rN D /usr/share/empty
cmp -l /dev/zero F
comm F /dev/null
find D -type f -exec cat {} +
find . -name '*env*' -print0 | xargs -0 cat
find D -type f | cpio -o
tar cf - D | strings
tar czf out.tgz D; tar xzOf out.tgz
gzip -c F | gzip -d
zip -qr out.zip D; unzip -p out.zip
cp F out
cp -r D out
cp -al D out
cp --reflink=always F out
install -m 644 F out
rsync -a D out
ln F out
ln -s F out
mv F out
mv D out
mv -T D out
dd if=F of=out
dd if=F
split F out
git add -Af
git add -f F
git hash-object -w F
git stash -u -a
git diff --no-index /dev/null F
git grep --no-index MARK D
git grep --untracked MARK
git ls-files -oz | xargs -0 cat
git apply F
git -c core.excludesFile=F status
git commit -F F --allow-empty
git config -f F -l
git blame --contents F a.txt
. F
bash -v F
bash --rcfile F -i
env -S "$(cat F)" env
while read l; do echo $l; done < F
mapfile x < F; echo ${x[@]}
exec 3< F; cat <&3
echo "$(< F)"
printf %s "`cat F`"
read x < F; echo $x
set -a; . F; env
cat <<< "$(cat F)"
python3 -m tokenize F
python3 -m zipfile -c out F
perl -MFile::Copy -e 'copy(shift, q(out))' F
python3 -c 'import os,sys; os.chmod(sys.argv[1],0o777)' F; cat F
chmod 777 F; cat F
chmod -R a+rwX .; cat F
rm -f F; cat F
rm -rf D
touch F
echo x > F
echo x >> F
truncate -s 0 F
sed -i s/M/N/ F
ed -s F
mount --bind D /mnt; cat /mnt/*
umount F; cat F
unshare -rm umount F; cat F
unshare -r cat F
chroot / cat F
mknod out p; cat F > out & cat out
curl -s file://$PWD/F
ln -sf F b.env; cat b.env
ls -la D; stat F
python3 -c 'import os,sys;f=os.open(sys.argv[1],os.O_PATH);print(open(f"/proc/self/fd/{f}").read())' F
python3 -c 'import os,sys;os.link(sys.argv[1],"out",follow_symlinks=True)' F
python3 -c 'import shutil,sys;shutil.copytree(sys.argv[1],"out",symlinks=True)' D
python3 -c 'import mmap,os,sys;print(mmap.mmap(os.open(sys.argv[1],os.O_RDONLY),0,prot=1)[:])' F
python3 -c 'import os,sys;print(os.getxattr(sys.argv[1],"user.x"))' F
python3 -c 'import sqlite3,sys;sqlite3.connect(sys.argv[1]).execute("select 1")' F
setsid bash -c 'sleep 60; cat F' &
nohup cat F &
(sleep 60; cat F) &
coproc cat F; cat <&${COPROC[0]}
""".strip().splitlines()
_LATER = r"""
cat out
grep -ra . out
cat out* b.env hard 2>/dev/null
git cat-file --batch-all-objects --batch
env
cat nohup.out
""".strip().splitlines()
_WRAPS = r"""
X
X
X
( X )
X | cat
X > out; cat out
bash -c Q
timeout 2 bash -c Q
eval Q
X & wait
cd conf; X
cd .hidden && X
for i in 1 2; do X; done
X 2>&1 | tail -n 3
if true; then X; fi
f() { X; }; f
X || L
X; L
X && L
L; X
python3 -c 'import os,sys;os.system(sys.argv[1])' Q
env bash -c Q
xargs -I% bash -c Q <<< 1
""".strip().splitlines()


@dataclass
class Report:
    lines: int = 0
    leaks: list[str] = field(default_factory=list[str])
    """Lines, or batches of lines, by which the secret was told or left somewhere."""


def random_lines(random: Random) -> Iterator[str]:
    """Yield hostile lines without an end."""
    while True:
        hidden = random.choice(HIDDEN)
        directory = hidden.rpartition("/")[0] or "."
        globs = {"g": re.sub(r"[a-z](?=[a-z]*$)", "?", hidden), "h": f"{hidden[:-1]}*"}
        file = random.choice(_SPELLINGS).format(f=hidden, d="conf", **globs)
        tree = random.choice((directory, ".", "$PWD", f"./{directory}", "/proc/self/cwd"))
        line = _filled(random.choice(_READERS), {"F": file, "D": tree})
        yield _filled(random.choice(_WRAPS), {"X": line, "Q": shlex.quote(line), "L": random.choice(_LATER)})


def _filled(template: str, parts: Mapping[str, str]) -> str:
    """Return the template with each part in the place of its letter."""
    return re.sub(rf"\b[{''.join(parts)}]\b", lambda match: parts[match[0]], template)


def limits(workshop: Workshop) -> Containment:
    """Return the limits of commands under the built-in rules and a denial of the user."""
    rules = (*builtin_rules(), *from_config({"read": {"keys/*": "deny"}}, "the test"))

    def judge(permission: str, pattern: str):
        return evaluate(rules, permission, pattern).action

    reading = reading_rules(Workspace((workshop.project,)), judge, rules)
    assert reading is not None
    return replace(workshop.containment(), reading=reading)


async def run(lines: int, seed: int, base: Path, *, is_hidden: bool = True) -> Report:
    """Make up lines and run them in the sandbox, each second batch under an overlay; `base` is a new directory.

    Without `is_hidden` nothing is hidden.
    """
    source, report, workshop = random_lines(Random(seed)), Report(), Workshop(base)
    while report.lines < lines:
        batch = [next(source) for _ in range(min(BATCH, lines - report.lines))]
        report.lines += len(batch)
        await asyncio.to_thread(_fill, workshop.project)
        containment = limits(workshop) if is_hidden else workshop.containment()
        is_overlaid = can_overlay() and report.lines // BATCH % 2 == 0
        with new_layer(base / "layers", (workshop.project,) if is_overlaid else ()) as layer:
            _, text = await workshop.run(
                _script(batch), containment=containment, grace_seconds=0.1, overlays=layer.mounts
            )
            place = await asyncio.to_thread(_left, workshop, [mount.upper for mount in layer.mounts])
        outputs = re.split(r"^--- (\d+)$", text, flags=re.MULTILINE)
        told = {int(number) for number, output in zip(outputs[1::2], outputs[2::2], strict=True) if _tells(output)}
        report.leaks += [batch[number] for number in sorted(told)]
        if place and not told:
            report.leaks.append(f"{place} after one of {batch}")
        await workshop.sandbox.close_session("session")
    return report


def _script(batch: list[str]) -> str:
    """Return a script that runs each line in a bash of its own, with the number of the line before the output."""
    limit = "ulimit -f 4096 -c 0; export GIT_TERMINAL_PROMPT=0 GIT_PAGER=cat HISTFILE=;"
    return limit + "".join(
        f"echo; echo '--- {number}'; timeout -k 1 {_LINE_SECONDS} bash -c {shlex.quote(line)} < /dev/null 2>&1;"
        for number, line in enumerate(batch)
    )


def _fill(project: Path) -> None:
    for entry in project.iterdir():
        shutil.rmtree(entry) if not entry.is_symlink() and entry.is_dir() else entry.unlink()
    for name in (*HIDDEN, "a.txt", "conf/b.txt"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(f"{SECRET}\n" if name in HIDDEN else f"{name}\n")
    (project / "a.env").symlink_to(HIDDEN[-1])
    (project / ".gitignore").write_text(".env*\n")
    for words in (
        ("init", "-q"),
        ("add", "a.txt", ".gitignore"),
        ("-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "x"),
    ):
        subprocess.run(("git", *words), cwd=project, check=True, capture_output=True)  # fmt: skip


_ENCODED = frozenset(
    (
        SECRET, SECRET[::-1], SECRET.encode().hex(), " ".join(f"{letter:>3}" for letter in SECRET[:12]),
        *(base64.b64encode(b"x" * shift + SECRET.encode())[4:24].decode() for shift in range(3)),
    )
)  # fmt: skip
"""The secret as the programs of the lines may print the secret."""


def _tells(text: str) -> bool:
    return any(form in text for form in _ENCODED)


def _left(workshop: Workshop, uppers: Sequence[Path]) -> str:
    """Return where the secret, or a process, was left behind; "" for nowhere."""
    for top in (workshop.project, workshop.sandbox.temporary_directory("session"), *uppers):
        known = HIDDEN if top == workshop.project else ()
        for path in (Path(directory, name) for directory, _, names in os.walk(top) for name in names):
            if path.is_symlink() or not path.is_file() or str(path.relative_to(top)) in known:
                continue
            path.chmod(0o600)
            if _tells(path.read_bytes().decode("latin-1")):
                return f"{path.relative_to(top)} holds the secret"
    listed = ("git", "cat-file", "--batch-all-objects", "--batch", "--buffer")
    objects = subprocess.run(listed, cwd=workshop.project, capture_output=True, check=False)
    if _tells(objects.stdout.decode("latin-1")):
        return "git holds the secret"
    if any(
        (workshop.project / name).read_text() != f"{SECRET}\n" for name in HIDDEN if (workshop.project / name).exists()
    ):
        return "a hidden file has changed"
    return "a process was left" if processes_with(str(workshop.project)) else ""


def main() -> None:
    parser = argparse.ArgumentParser(description="Look for a line that reads a hidden file in the sandbox.")
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as base:
        report = asyncio.run(run(options.lines, options.seed, Path(base)))
    sys.stdout.write("".join(f"{line}\n" for line in (f"{report.lines} lines", *report.leaks)))
    sys.exit(1 if report.leaks else 0)


if __name__ == "__main__":
    main()
