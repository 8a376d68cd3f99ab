"""The task of a notebook's job, run by `python3 -c`: see notebook_program.h.

Arguments: the seconds after which a server that nobody uses ends (0: never), the folder to show
("": its own), and the module by which its kernels are started. NOTEBOOK_KEPT: the folder of HDFS
that the files of one of its own are kept in. Runs on any Python from 3.7.
"""

import importlib.util
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time


def say(text):
    print("muster: " + text, file=sys.stderr, flush=True)


class Kept:
    """A folder whose files are kept in one of HDFS: fetched at the beginning, put there as they
    change. Symbolic links, and hidden files in the folder itself, are not.

    What is deleted or renamed here is so there, too, once it has been away for a moment; but not at
    the end, when a container may be cleared away under us.
    """

    PIECE = 100  # Files to one call.
    QUIET = 1  # Seconds for which a file has not changed before it is put there,
    LARGE = 64 << 20
    QUIET_LARGE = 30  # and a large one.
    LAST_MAX = 600  # For what HDFS does not take at the end.

    def __init__(self, work, private, root, target):
        self.work = work
        self.root = root
        self.target = target
        self.known = {}  # What HDFS has: a name below the root, and its time and size.
        self.seen = {}  # Of what differs: what it is, and since when.
        self.gone = {}  # Of what is not here any more: since when.
        self.unkept = {}  # What HDFS did not take, and why.
        self.program = os.environ.pop("NOTEBOOK_MUSTER")[len("file://"):]
        self.conf = self.find_conf(work, private)

    @staticmethod
    def find_conf(work, private):
        """The configuration that the job's client sent along, else that of the host."""
        above = work
        while above != "/":
            sent = os.path.join(above, ".muster-hadoop.xml")
            if os.path.exists(sent):
                folder = os.path.join(private, "hadoop")
                os.makedirs(folder, exist_ok=True)
                link = os.path.join(folder, "core-site.xml")
                if not os.path.lexists(link):
                    os.symlink(sent, link)
                return ["--conf", folder]
            above = os.path.dirname(above)
        return []

    def fs(self, verb, *words):
        """What `muster fs` wrote, None if it failed; and why."""
        done = subprocess.run([self.program, "fs", verb, *self.conf, *words], check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                              errors="replace")
        return done.stdout if done.returncode == 0 else None, done.stderr.strip()[-500:]

    def must(self, verb, *words):
        came, why = self.fs(verb, *words)
        if came is None:
            sys.exit("muster: the notebook's files cannot be fetched from HDFS, "
                     f"{self.target}: {why}")
        return came

    def there(self, name):
        return self.target + "/" + name

    @staticmethod
    def literal(path):
        """For a command that takes patterns."""
        return "".join("\\" + c if c in "*?[]{}\\" else c for c in path)

    def pieces(self, names):
        return [names[i:i + self.PIECE] for i in range(0, len(names), self.PIECE)]

    @staticmethod
    def is_kept(name, below):
        return not (name in (".ipynb_checkpoints", "__pycache__") or name.endswith("._COPYING_")
                    or (not below and name.startswith(".")))

    def fetch(self):
        os.makedirs(self.root, exist_ok=True)
        self.must("mkdir", "-p", self.target)
        (told,) = json.loads(self.must("stat", "--json", self.literal(self.target)))["entries"]
        self.target = told["path"].rstrip("/")
        listed = json.loads(self.must("ls", "--json", self.literal(self.target)))["entries"]
        paths = [entry["path"] for entry in listed
                 if self.is_kept(entry["path"].rsplit("/", 1)[1], "")]
        for some in self.pieces(paths):
            self.must("get", "-q", *map(self.literal, some), self.root + "/")
        self.known = self.scan()
        self.link_what_came_with_the_job()

    def link_what_came_with_the_job(self):
        for name in os.listdir(self.work):
            brought = os.path.join(self.work, name)
            link = os.path.join(self.root, name)
            if not name.startswith(".") and brought != self.root and not os.path.lexists(link):
                os.symlink(brought, link)

    def scan(self):
        """Time and size of what is there, by its name below the root; None for a folder."""
        found, folders = {}, [""]
        while folders:
            below = folders.pop()
            try:
                entries = list(os.scandir(os.path.join(self.root, below)))
            except FileNotFoundError:
                continue
            for entry in entries:
                name = os.path.join(below, entry.name)
                if not self.is_kept(entry.name, below):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    found[name] = None
                    folders.append(name)
                elif entry.is_file(follow_symlinks=False):
                    try:
                        stat = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    found[name] = (stat.st_mtime_ns, stat.st_size)
        return found

    def look(self):
        """Puts there what has come to rest, and removes what is gone."""
        now, at = self.scan(), time.monotonic()
        self.seen = {name: self.seen[name] if name in self.seen and self.seen[name][0] == now[name]
                     else (now[name], at) for name in self.differing(now)}
        self.put(now, [name for name, (what, since) in self.seen.items() if what is None
                       or at - since >= (self.QUIET if what[1] < self.LARGE else self.QUIET_LARGE)])
        if os.path.exists(os.environ["MUSTER_VIEW_FILE"]):  # Else all of it is.
            self.gone = {name: self.gone.get(name, at) for name in self.known if name not in now}
            self.remove([name for name, since in self.gone.items() if at - since >= self.QUIET])

    def finish(self):
        """Puts there all that differs; says what cannot be."""
        end = time.monotonic() + self.LAST_MAX
        while True:
            now = self.scan()
            self.unkept = {name: why for name, why in self.unkept.items() if name in now}
            self.put(now, self.differing(now))
            if not self.unkept:
                return
            if time.monotonic() > end:
                sys.exit(f"muster: the notebook has ended, and {len(self.unkept)} of its files are "
                         f"not in HDFS, in {self.target}")
            time.sleep(2)

    def differing(self, now):
        return [name for name in now if name not in self.known or self.known[name] != now[name]]

    def put(self, now, names):
        self.remove([name for name in names
                     if name in self.known and (self.known[name] is None) != (now[name] is None)])
        for some in self.pieces(sorted(name for name in names if now[name] is None)):
            self.note(now, some, *self.fs("mkdir", "-p", *map(self.there, some)))
        folders = {}
        for name in names:
            if now[name] is not None:
                folders.setdefault(os.path.dirname(name), []).append(name)
        for below, files in folders.items():
            for some in self.pieces(files):
                if not self.put_files(now, below, some):
                    for name in some:
                        self.put_files(now, below, [name])

    def put_files(self, now, below, names):
        """False: one of several is not taken."""
        came, why = self.fs("put", "-f", "-q", *(os.path.join(self.root, name) for name in names),
                            self.there(below).rstrip("/") + "/")
        if came is None and len(names) > 1:
            return False
        self.note(now, names, came, why)
        return True

    def note(self, now, names, came, why):
        for name in names:
            if came is not None:
                self.known[name] = now[name]
                self.unkept.pop(name, None)
            elif self.unkept.get(name) != why:
                self.unkept[name] = why
                say(f"{name} is not kept: {why}")

    def remove(self, names):
        outer = [name for name in names
                 if not any(name.startswith(other + "/") for other in names)]
        for some in self.pieces(outer):
            came, _ = self.fs("rm", "-r", "-f", *(self.literal(self.there(name)) for name in some))
            if came is None:
                return
        for name in names:
            self.known.pop(name, None)

    def watch(self, words):
        """Runs the server; returns its exit status, once all is kept."""
        # Kernels and terminals that are not a document's begin where it does.
        os.environ["PWD"] = self.root
        server = subprocess.Popen(words, cwd=self.root)
        signal.signal(signal.SIGTERM, lambda *_: server.send_signal(signal.SIGTERM))
        over = threading.Event()
        threading.Thread(target=lambda: (server.wait(), over.set()), daemon=True).start()
        pause = 1
        while not over.wait(pause):
            begun = time.monotonic()
            try:
                self.look()
            except OSError as error:
                say(f"the notebook's files cannot be read: {error}")
            # A large tree takes no more than a tenth of the time.
            pause = max(1, 10 * (time.monotonic() - begun))
        self.finish()
        return server.returncode if server.returncode >= 0 else 128 - server.returncode


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def write_config(path, port, token, root, idle, kernels):
    """Also the module `kernels`, in a folder of its own: what else lies beside it is no module."""
    folder = path + ".modules"
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "muster_notebook_kernels.py"), "w") as file:
        file.write(kernels)
    with open(path, "w") as file:
        for name, value in (("ServerApp.ip", "127.0.0.1"), ("ServerApp.port", port),
                            ("ServerApp.port_retries", 0), ("ServerApp.open_browser", False),
                            ("ServerApp.allow_root", True), ("ServerApp.root_dir", root),
                            ("ServerApp.shutdown_no_activity_timeout", idle),
                            ("MappingKernelManager.cull_idle_timeout", idle),
                            ("IdentityProvider.token", token)):
            file.write(f"c.{name} = {value!r}\n")
        file.write(f"import sys\nsys.path.insert(0, {folder!r})\nimport muster_notebook_kernels\n"
                   f"sys.path.remove({folder!r})\nmuster_notebook_kernels.install(c)\n")


def main(idle, root, kernels):
    target = os.environ.pop("NOTEBOOK_KEPT", "")
    if importlib.util.find_spec("jupyter_server") is None:
        sys.exit(f"muster: there is no Jupyter in the environment of {sys.executable}; install "
                 "jupyterlab there, or jupyter_server")
    lab = importlib.util.find_spec("jupyterlab") is not None
    os.umask(0o077)
    work = os.getcwd()
    private = os.path.join(os.path.dirname(os.environ["MUSTER_VIEW_FILE"]), ".notebook")
    os.makedirs(private, exist_ok=True)
    kept = None
    if target:
        root = os.path.join(work, "notebook")
        kept = Kept(work, private, root, target)
        kept.fetch()
    if not os.access(os.path.expanduser("~"), os.W_OK):  # As in many containers.
        os.environ["HOME"] = os.path.join(private, "home")
        os.makedirs(os.environ["HOME"], exist_ok=True)
    os.environ["JUPYTER_RUNTIME_DIR"] = private
    port, token = free_port(), secrets.token_urlsafe(32)
    config = os.path.join(private, "config.py")
    write_config(config, port, token, root or work, idle, kernels)
    place = os.path.join(private, "place")
    with open(place + ".new", "w") as file:
        page, target = "lab" if lab else "tree", kept.target if kept else ""
        file.write(f"{port} {token} {page} {target}\n")
    os.rename(place + ".new", place)
    words = [sys.executable, "-m", "jupyterlab" if lab else "jupyter_server", "--config=" + config]
    if kept is None:
        os.execv(sys.executable, words)
    sys.exit(kept.watch(words))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
