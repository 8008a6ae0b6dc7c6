"""Only what is known to write nothing counts as reading."""

from pathlib import Path

from corpus_support import corpus
from placet.permissions.shell import analyse
from placet.permissions.shell.programs.reading import is_read_only

READING = """
ls -la src | head -n 3
git status
git -C x log --oneline | head
git --no-pager diff HEAD~1 -- a.py
git show HEAD:a.py > /dev/null
git branch
git branch -a
git stash list
git remote -v
git config --get user.name
rg -n x src
find . -name '*.py' -type f
sed -n '1,20p' a.py
sed -n 5p a.py b.py
sort a.py | cut -d: -f1
cat a.py 2>&1
cd src && ls && pwd
test -f a.py && cat a.py
time ls
timeout 5 cat a.py
python3 --version
x=1 ls
"""
WRITING = """
touch a
cat a > b
cat a >> b
git branch new
git branch -D old
git stash
git checkout .
git diff --output=x
git diff --outpu=x
git diff *
git log --ext-d
git grep --open x
sed -n 1p *
git config user.name x
rg --pre x y
find . -delete
find . -exec rm {} +
sed -i s/a/b/ a
sed -n 'w b' a
sed s/a/b/w\\ c a
sort -o a b
sort -uo a b
sort *
sort --output=a b
uniq a b
xxd a b
tee a
pytest
./ls
/bin/rm a
awk '{print > "x"}' a
cat a | xargs rm
timeout 5 rm x
command rm x
ls && rm x
ls $(touch x)
for f in a; do rm $f; done
env
tree -o x
fd -x rm
date -s x > y
python3 -c 'print(1)'
make --version x
eval ls
"""


@corpus("line", READING.strip().splitlines())
def test_a_line_that_only_reads_is_known(line: str) -> None:
    assert is_read_only(analyse(line, directory=Path("/project"), home=Path("/home/ada")))


@corpus("line", WRITING.strip().splitlines())
def test_a_line_that_may_write_is_not_taken_for_one_that_reads(line: str) -> None:
    assert not is_read_only(analyse(line, directory=Path("/project"), home=Path("/home/ada")))
