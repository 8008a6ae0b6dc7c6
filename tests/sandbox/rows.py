"""Attempts to leave the sandbox and daily work inside of the sandbox, as data; the scene is in scene.py.

An attempt prints ESCAPED when the attempt has succeeded, or writes PLANTED into a file of `plants`. The lines are
written for a shell whose variables name the scene: HOME, PROJECT, LINKED, OUTSIDE, VICTIM.
"""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["no", "undone", "no promise", "ok"]
"""`no`: the attempt fails. `undone`: the trace is gone after the check that follows the command. `no promise`: the
backend does not stop the attempt, and Placet says so. `ok`: allowed."""
BackendName = Literal["bubblewrap", "landlock"]


@dataclass(frozen=True, slots=True)
class Escape:
    """Attempt to leave the sandbox; `id` is the attempt's number in the threat model's list."""

    id: str
    attempt: str
    line: str
    bubblewrap: Verdict = "no"
    landlock: Verdict = "no"
    plants: tuple[str, ...] = ()
    """Files, relative to the scene's directory, in which PLANTED would prove the escape."""
    directory: Literal["project", "linked"] = "project"
    only_reads: bool = False
    """Whether the containment has no writable roots."""
    needs: tuple[str, ...] = ()
    """Programs without which the row is left out."""
    root_only: bool = False
    succeeds_outside: bool = True
    """Whether the attempt succeeds, without harm, where no sandbox is: then the row is shown to prove something."""

    def verdict(self, backend: BackendName) -> Verdict:
        return self.bubblewrap if backend == "bubblewrap" else self.landlock


@dataclass(frozen=True, slots=True)
class Work:
    """Daily work: the same exit code inside as outside, and with `says` the words in the output."""

    id: str
    name: str
    line: str
    says: str = ""
    code: int = 0
    needs: tuple[str, ...] = ()
    directory: Literal["project", "linked"] = "project"
    bubblewrap: Verdict = "ok"
    landlock: Verdict = "ok"
    is_slow: bool = False
    """Whether the row takes seconds: then `make test` has the row in each backend as one user."""

    def verdict(self, backend: BackendName) -> Verdict:
        return self.bubblewrap if backend == "bubblewrap" else self.landlock


def _python(program: str) -> str:
    """Return the line that runs the program in the system's Python; the program holds no single quote."""
    return f"python3 -c '{program}'"


_SYSCALL = """
import ctypes, errno, os, sys
libc = ctypes.CDLL(None, use_errno=True)
arm = os.uname().machine == "aarch64"
def attempt(x86, aarch64, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(aarch64 if arm else x86), *arguments)
    if result >= 0:
        print("ESCAPED", x86)
"""

_READS = {
    "23": ("a key of ssh", "~/.ssh/id_ed25519"),
    "24a": ("the keys of a cloud", "~/.aws/credentials"),
    "24b": ("the token of GitHub's client", "~/.config/gh/hosts.yml"),
    "24c": ("passwords of the network", "~/.netrc"),
    "24d": ("a token of npm", "~/.npmrc"),
    "24e": ("a keyring", "~/.local/share/keyrings/login.keyring"),
    "24f": ("a history of the shell", "~/.bash_history"),
    "25a": ("Placet's keys", "~/.config/placet/keys.json"),
    "25b": ("Placet's grants", "~/.config/placet/grants.json"),
    "25c": ("Placet's store", "~/.local/share/placet/placet.db"),
    "25d": ("Placet's log", "~/.local/state/placet/log/daemon.log"),
    "25e": ("the temporary files of another session", "~/.cache/placet/sandbox/sessions/other/tmp/file"),
    "25f": ("the outputs of another session", "~/.local/share/placet/tool-output/other/out"),
}

ESCAPES = (
    Escape("1", "create a file in home", "echo PLANTED > ~/new-file", plants=("home/new-file",)),
    Escape(
        "2",
        "append to start-up files",
        "mkdir -p ~/.config/autostart; "
        "for f in ~/.bashrc ~/.profile ~/.config/autostart/x; do echo PLANTED >> $f; done",
        plants=("home/.bashrc", "home/.profile", "home/.config/autostart/x"),
    ),
    Escape(
        "3",
        "write through a symlink in the root",
        "ln -s $OUTSIDE/file new-link; echo PLANTED > new-link; echo PLANTED > old-link",
        plants=("home/outside/file",),
    ),
    Escape(
        "4",
        "write through a hard link that was in the root",
        "echo PLANTED > hard-link",
        bubblewrap="no promise",
        landlock="no promise",
        plants=("home/outside/linked",),
    ),
    Escape(
        "5",
        "hard-link a file from outside into the root",
        "ln $OUTSIDE/file taken && echo PLANTED > taken",
        plants=("home/outside/file",),
    ),
    Escape("6", "move a file from outside into the root", "mv $OUTSIDE/file moved && echo ESCAPED"),
    Escape(
        "7",
        "write a hook of git",
        "echo PLANTED > .git/hooks/post-commit",
        landlock="no promise",
        plants=("home/work/project/.git/hooks/post-commit",),
    ),
    Escape(
        "8",
        "append to git's configuration",
        "echo PLANTED >> .git/config",
        landlock="no promise",
        plants=("home/work/project/.git/config",),
    ),
    Escape(
        "9",
        "let git write a program into its configuration",
        "git config core.fsmonitor PLANTED",
        landlock="no promise",
        plants=("home/work/project/.git/config",),
        needs=("git",),
    ),
    Escape(
        "10a",
        "move the git directory away and make another",
        "mv .git .git2 && mkdir -p .git/hooks && echo PLANTED > .git/hooks/pre-commit",
        landlock="no promise",
        plants=("home/work/project/.git/hooks/pre-commit",),
    ),
    Escape(
        "10b",
        "move git's hooks away and make others",
        "mv .git/hooks .git/old; mkdir -p .git/hooks; echo PLANTED > .git/hooks/pre-commit",
        landlock="no promise",
        plants=("home/work/project/.git/hooks/pre-commit",),
    ),
    Escape(
        "10c",
        "replace git's configuration by a rename",
        "echo PLANTED > new-config; mv -f new-config .git/config",
        landlock="no promise",
        plants=("home/work/project/.git/config",),
    ),
    Escape(
        "11",
        "write hooks and configuration of a submodule",
        "cd .git/modules/sub; echo PLANTED > hooks/post-checkout; echo PLANTED >> config",
        landlock="no promise",
        plants=(
            "home/work/project/.git/modules/sub/hooks/post-checkout",
            "home/work/project/.git/modules/sub/config",
        ),
    ),
    Escape(
        "12",
        "create git's configuration of a worktree",
        "echo PLANTED > nested/.git/config.worktree",
        bubblewrap="undone",
        landlock="no promise",
        plants=("home/work/project/nested/.git/config.worktree",),
    ),
    Escape(
        "13",
        "from a linked worktree write the hooks and the configuration of the repository",
        'common=$(git rev-parse --git-common-dir); echo PLANTED > "$common/hooks/x"; echo PLANTED >> "$common/config"',
        landlock="no promise",
        plants=("home/work/main/.git/hooks/x", "home/work/main/.git/config"),
        directory="linked",
        needs=("git",),
    ),
    Escape(
        "14a",
        "point a linked worktree at another git directory",
        "echo PLANTED >> .git",
        landlock="no promise",
        plants=("home/work/linked/.git",),
        directory="linked",
    ),
    Escape(
        "14b",
        "replace the file that names a linked worktree's git directory",
        "echo PLANTED > fake; mv -f fake .git",
        landlock="no promise",
        plants=("home/work/linked/.git",),
        directory="linked",
    ),
    Escape(
        "15",
        "point a linked worktree at another common directory",
        'echo PLANTED > "$(git rev-parse --git-dir)/commondir"',
        landlock="no promise",
        plants=("home/work/main/.git/worktrees/linked/commondir",),
        directory="linked",
        needs=("git",),
    ),
    Escape(
        "16a",
        "give files a filter of git",
        "echo PLANTED >> .git/info/attributes",
        landlock="no promise",
        plants=("home/work/project/.git/info/attributes",),
    ),
    Escape(
        "16b",
        "give files of a nested repository a filter of git",
        "mkdir -p nested/.git/info; echo PLANTED >> nested/.git/info/attributes",
        bubblewrap="undone",
        landlock="no promise",
        plants=("home/work/project/nested/.git/info/attributes",),
    ),
    Escape(
        "17a",
        "append to the project's settings of Placet",
        "echo PLANTED >> placet.json",
        landlock="no promise",
        plants=("home/work/project/placet.json",),
    ),
    Escape(
        "17b",
        "create settings of Placet",
        "echo PLANTED > placet.jsonc",
        bubblewrap="undone",
        landlock="no promise",
        plants=("home/work/project/placet.jsonc",),
    ),
    Escape(
        "18",
        "write a custom tool",
        "echo PLANTED > .placet/tools/x.py",
        landlock="no promise",
        plants=("home/work/project/.placet/tools/x.py",),
    ),
    Escape(
        "19",
        "write a task of the editor",
        "echo PLANTED > .vscode/tasks.json",
        landlock="no promise",
        plants=("home/work/project/.vscode/tasks.json",),
    ),
    Escape(
        "20",
        "create files that other programs run",
        "echo PLANTED > .mcp.json; echo PLANTED > .envrc; mkdir -p .idea; echo PLANTED > .idea/x",
        bubblewrap="undone",
        landlock="no promise",
        plants=(
            "home/work/project/.mcp.json",
            "home/work/project/.envrc",
            "home/work/project/.idea/x",
        ),
    ),
    Escape(
        "21",
        "move the parent of a protected directory away and make another",
        "mv pkg pkg2; mkdir -p pkg/.vscode; echo PLANTED > pkg/.vscode/tasks.json",
        landlock="no promise",
        plants=("home/work/project/pkg/.vscode/tasks.json",),
    ),
    *(
        Escape(id, f"read {name}", f"grep -qa MARKED {path} && echo ESCAPED", landlock="no")
        for id, (name, path) in _READS.items()
    ),
    Escape(
        "26", "read the passwords of the system", "head -c 1 /etc/shadow | grep -q . && echo ESCAPED", root_only=True
    ),
    Escape(
        "27a",
        "read the variables of a process of the host",
        "cat /proc/[0-9]*/environ 2>/dev/null | grep -qa MARKED && echo ESCAPED",
    ),
    Escape(
        "27b",
        "reach files through a process of the host",
        "ls /proc/$VICTIM/root/ /proc/$VICTIM/fd/ && echo ESCAPED; head -c 1 /proc/$VICTIM/mem && echo ESCAPED",
    ),
    Escape(
        "28",
        "list the processes of the host",
        "[ $(ls -d /proc/[0-9]* | wc -l) -gt 8 ] && echo ESCAPED",
        landlock="no promise",
    ),
    Escape("29", "signal a process of the host", "kill -CONT $VICTIM && echo ESCAPED"),
    Escape(
        "30",
        "trace a process of the host",
        _python(
            _SYSCALL
            + """
pid = int(os.environ["VICTIM"])
attempt(101, 117, ctypes.c_long(0x4206), ctypes.c_long(pid), None, None)
"""
        ),
    ),
    Escape(
        "35",
        "connect to an abstract socket of the host",
        _python(
            """
import os, socket
socket.socket(socket.AF_UNIX).connect("\\0" + os.environ["ABSTRACT"])
print("ESCAPED")
"""
        ),
    ),
    Escape(
        "37",
        "connect to a socket in the temporary directory of the host",
        _python('import os, socket; socket.socket(socket.AF_UNIX).connect(os.environ["TMP_SOCKET"]); print("ESCAPED")'),
        landlock="no promise",
    ),
    Escape(
        "38",
        "connect to a socket in home",
        _python(
            'import os, socket; socket.socket(socket.AF_UNIX).connect(os.environ["HOME"] + "/.agent.sock"); '
            'print("ESCAPED")'
        ),
        landlock="no promise",
    ),
    Escape(
        "45",
        "gain rights by a program of root's",
        "grep -q '^NoNewPrivs:.*1' /proc/self/status || echo ESCAPED",
    ),
    Escape(
        "45b",
        "hold a capability",
        "grep -q '^CapEff:.*[1-9a-f]' /proc/self/status && echo ESCAPED; true",
        root_only=True,
    ),
    Escape("46", "make a user namespace", "unshare -Ur true && echo ESCAPED", needs=("unshare",)),
    Escape(
        "47",
        "start a sandbox inside of the sandbox",
        "bwrap --unshare-user --ro-bind / / true && echo ESCAPED",
        needs=("bwrap",),
    ),
    Escape(
        "48",
        "undo the mounts in a namespace",
        "unshare -Urm sh -c 'mount -o remount,rw,bind / ; umount -l .git/hooks; mount --bind / /mnt; true' && "
        "echo ESCAPED",
        needs=("unshare", "mount"),
    ),
    Escape(
        "49",
        "add a key to the keyring of the session, and find the keyring",
        _python(
            _SYSCALL
            + """
attempt(248, 217, b"user", b"placet-test", b"x", ctypes.c_long(1), ctypes.c_long(-3))
attempt(250, 219, ctypes.c_long(0), ctypes.c_long(-3), ctypes.c_long(0))
"""
        ),
        succeeds_outside=False,
    ),
    Escape(
        "50",
        "make calls of the system that widen the kernel's surface",
        _python(
            _SYSCALL
            + """
memory = ctypes.create_string_buffer(256)
attempt(425, 425, ctypes.c_long(1), memory)
attempt(321, 280, ctypes.c_long(0), memory, ctypes.c_long(72))
attempt(323, 282, ctypes.c_long(1))
attempt(298, 241, memory, ctypes.c_long(0), ctypes.c_long(-1), ctypes.c_long(-1), ctypes.c_long(0))
"""
        ),
    ),
    Escape(
        "51",
        "type into a terminal",
        _python(
            """
import fcntl, os, pty
leader, follower = pty.openpty()
if os.fork() == 0:
    os.setsid()
    fcntl.ioctl(follower, 0x540E, 0)
    fcntl.ioctl(follower, 0x5412, b"x")
    os.write(1, b"ESCAPED")
    os._exit(0)
os.wait()
"""
        ),
        succeeds_outside=False,
    ),
    Escape(
        "52",
        "open sockets of other families",
        _python(
            """
import socket
for family, kind in ((40, 1), (38, 5), (17, 3)):
    try:
        socket.socket(family, kind)
        print("ESCAPED", family)
    except OSError:
        pass
"""
        ),
    ),
    Escape(
        "53",
        "make or open a device",
        "mknod device b 1 0 && echo ESCAPED; for d in /dev/vda /dev/sda /dev/kmsg /dev/mem; do "
        "[ -e $d ] && head -c 1 $d && echo ESCAPED; done",
        succeeds_outside=False,
    ),
    Escape(
        "54",
        "write settings of the kernel",
        "cat /proc/sys/kernel/threads-max > /proc/sys/kernel/threads-max && echo ESCAPED; "
        "mkdir /sys/fs/cgroup/placet-test && echo ESCAPED",
        succeeds_outside=False,
    ),
    Escape("55a", "plan a command for later with at", "echo true | at now && echo ESCAPED", needs=("at",)),
    Escape(
        "55b",
        "plan a command for later with cron",
        "echo '* * * * * true' | crontab - && echo ESCAPED",
        needs=("crontab",),
        succeeds_outside=False,
    ),
    Escape(
        "57",
        "call the system by the numbers of another architecture",
        _python(
            _SYSCALL
            + """
if not arm:
    attempt(0x40000000 + 39, 0)
"""
        ),
        succeeds_outside=False,
    ),
    Escape(
        "58",
        "find a descriptor that was inherited",
        "for f in /proc/self/fd/*; do case ${f##*/} in 0|1|2) ;; *) readlink $f;; esac; done | "
        "grep -v '^/proc/' && echo ESCAPED",
        succeeds_outside=False,
    ),
    Escape(
        "67",
        "use a name with a line break to reach a protected directory",
        "echo PLANTED > $'odd\\nname/.vscode/x'",
        landlock="no promise",
        plants=("home/work/project/odd\nname/.vscode/x",),
    ),
    Escape(
        "72",
        "write where only reading is allowed",
        "echo PLANTED > new-file; echo PLANTED > $TMPDIR/placet-x; cp $TMPDIR/placet-x new-file; rm $TMPDIR/placet-x",
        plants=("home/work/project/new-file",),
        only_reads=True,
    ),
)

POOL = """
import multiprocessing, tempfile
from multiprocessing import shared_memory

if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        assert pool.map(abs, [-1, -2]) == [1, 2]
    memory = shared_memory.SharedMemory(create=True, size=64)
    memory.close()
    memory.unlink()
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"x")
    print("pooled")
"""
_LOOPBACK = """
import http.server, threading, urllib.request
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
print(opener.open("http://127.0.0.1:%d/" % server.server_port).status)
"""
_NODE = """
const http = require("http"), { Worker } = require("worker_threads");
new Worker("require(\\"worker_threads\\").parentPort.postMessage(1)", { eval: true }).on("message", () => {
  const server = http.createServer((_, answer) => answer.end("served")).listen(0, "127.0.0.1", () =>
    http.get({ port: server.address().port, host: "127.0.0.1" }, (answer) => {
      answer.on("data", (data) => console.log(String(data)));
      answer.on("end", () => server.close());
    }));
});
"""

WORKS = (
    Work(
        "c1", "git looks", "git status && git log --oneline && git diff && git blame file.txt", "first", needs=("git",)
    ),
    Work(
        "c2",
        "git commits",
        "echo new > new.txt && git add -A && git commit -qm second && git commit -q --amend -m third && git log",
        "third",
        needs=("git",),
    ),
    Work(
        "c3",
        "git branches, stashes, merges, rebases and cleans up",
        "git checkout -qb side && echo side > side.txt && git add side.txt && git commit -qm side && "
        "git checkout -q - && echo x >> file.txt && git stash -q && git stash pop && git commit -qam main && "
        "git merge -q --no-edit side && git checkout -q side && git rebase -q - && git gc -q && git log --oneline",
        "side",
        needs=("git",),
    ),
    Work(
        "c4a",
        "git adds a worktree inside of the root and commits there",
        "git worktree add -q inner && cd inner && echo y > y.txt && git add y.txt && git commit -qm inner && git log",
        "inner",
        needs=("git",),
    ),
    Work(
        "c4b",
        "git commits in a linked worktree",
        "echo y > y.txt && git add y.txt && git commit -qm linked && git log",
        "linked",
        directory="linked",
        needs=("git",),
    ),
    Work(
        "c5",
        "git makes, clones and pushes to repositories below the root",
        "git init -q --bare bare.git && git push -q ./bare.git HEAD:refs/heads/other && git clone -q bare.git cloned "
        "&& git -C cloned log origin/other --oneline && git submodule update",
        "first",
        needs=("git",),
    ),
    Work(
        "c9",
        "Python makes an environment and pip installs a package without the network",
        '"$PYTHON" -m venv --system-site-packages .env && .env/bin/python -m pip --version && '
        ".env/bin/python -m pip install -q --no-index --no-build-isolation --no-deps ./package && "
        '.env/bin/python -c "import in_package; print(in_package.NAME)"',
        "packed",
        is_slow=True,
    ),
    Work("c10", "pytest runs", '"$PYTHON" -m pytest -q test_it.py', "1 passed", needs=("pytest",)),
    Work("c11", "Python starts a pool, shares memory and makes temporary files", "python3 pool.py", "pooled"),
    Work(
        "c12",
        "a server and a client meet on the loopback",
        _python(_LOOPBACK.replace("'", '"')),
        "200",
        landlock="no promise",
    ),
    Work(
        "c14", "node serves and starts a worker", f"node -e '{_NODE}'", "served", needs=("node",), landlock="no promise"
    ),
    Work(
        "c15",
        "npm installs from a directory without the network",
        "npm install --offline --no-audit --no-fund ./node_package && node -e 'require(\"node_package\")'",
        "packed",
        needs=("npm",),
        is_slow=True,
    ),
    Work("c18", "make compiles with gcc", "make -s -j2 && ./program", "compiled", needs=("make", "gcc")),
    Work(
        "c22",
        "sqlite writes ahead",
        _python(
            'import sqlite3; c = sqlite3.connect("d.db"); print(c.execute("pragma journal_mode=wal").fetchone()); '
            'c.execute("create table t (x)"); c.execute("insert into t values (1)"); c.commit()'
        ),
        "wal",
    ),
    Work("c23a", "a terminal is opened by script", "script -qc 'echo typed' /dev/null", "typed", needs=("script",)),
    Work(
        "c23b",
        "tmux runs a server",
        "tmux -L own new-session -d 'sleep 5' && tmux -L own list-sessions && tmux -L own kill-server",
        "windows",
        needs=("tmux",),
        landlock="no promise",
    ),
    Work(
        "c24",
        "programs tell of the system",
        "ps -e > /dev/null && df . > /dev/null && uname -a && hostname && id -u && top -bn1 > /dev/null",
        needs=("ps", "top", "hostname"),
    ),
    Work(
        "c25a",
        "strace traces",
        "strace -o trace.txt true && grep -c execve trace.txt",
        "1",
        needs=("strace",),
        landlock="no promise",
    ),
    Work(
        "c25b",
        "gdb runs a program",
        "make -s program && gdb -q -batch -ex run ./program",
        "compiled",
        needs=("gdb", "gcc", "make"),
        landlock="no promise",
        is_slow=True,
    ),
    Work(
        "c26",
        "names, texts and events of files work",
        "printf 'ä\\n' && getent hosts localhost > /dev/null && "
        "getent passwd $(id -u) > /dev/null && date > /dev/null && "
        "ssh-keygen -q -t ed25519 -N '' -f key && set -m && sleep 0.01 & wait",
        "ä",
        needs=("ssh-keygen", "getent"),
    ),
    Work(
        "c27",
        "files are made, changed, moved, run and removed",
        "mkdir -p a/b && echo 'echo ran' > a/b/run && chmod +x a/b/run && a/b/run && chmod 4755 a/b/run && "
        "mv a c && ln c/b/run same && rm -rf c same",
        "ran",
    ),
    Work(
        "c28",
        "programs find a cache in which they can write",
        'mkdir -p "$XDG_CACHE_HOME/x" && echo y > "$XDG_CACHE_HOME/x/y" && echo z > "$npm_config_cache/z" && echo done',
        "done",
    ),
    Work("c32a", "an exit code is kept", "exit 7", code=7),
    Work("c32b", "a death by a signal is told", "kill -9 $$", code=-9),
    Work("c32c", "a segmentation fault is told", "exec python3 -c 'import os; os.kill(os.getpid(), 11)'", code=-11),
    Work("c32d", "a missing program is told", "no-such-program", code=127),
    Work(
        "c36",
        "a command finds its temporary files",
        "name=$(mktemp /tmp/placet-XXXXXX) && echo kept > $name && cat $TMPDIR/${name##*/} && rm $name",
        "kept",
        landlock="no promise",
    ),
)
QUICK_WORKS = tuple(row for row in WORKS if not row.is_slow)
SLOW_WORKS = tuple(row for row in WORKS if row.is_slow)
