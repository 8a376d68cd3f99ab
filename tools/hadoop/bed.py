"""A bed is a set of real Hadoop daemons on this machine, in a folder and on ports of their own.

    bed = Bed.start("3.4.3")           # NameNode, 2 DataNodes, ResourceManager, 2 NodeManagers
    bed.environment["HADOOP_CONF_DIR"] # for clients
    bed.shell("fs", "-ls", "/")        # Hadoop's own tools
    bed.kill("dn1"); bed.run("dn1")    # faults
    bed.end()

The keeper (keeper.py) is the daemons' parent; a Bed is a handle that any process may have, for
instance from Bed.attach(folder). Everything ends with the owner, however the owner ends.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import artifacts
import health
import layout
import place
import shell
from control import BedError, ask, is_gone, state_of
from settings import Settings
from shell import Finished, Shell, main_class
from waiting import WaitError, until

HERE = pathlib.Path(__file__).resolve().parent

# Long enough for machines that are busy with much else; a failure is reported at once anyway.
START_LIMIT = 300


class Bed:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        state = json.loads((self.folder / "bed.json").read_text())
        self.version = state["version"]
        self.variant_name = state["variant"]
        self.variant = layout.VARIANTS[self.variant_name]
        self.ports = state["ports"]
        self.overrides = state["overrides"]
        self.conf = self.folder / "conf"
        self.kdc = self.settings.kdc
        self.shell = Shell(self.folder, self.version, self.environment, self.java_flags)

    # Life

    @classmethod
    def start(cls, version, variant="plain", owner=None, within=START_LIMIT):
        """Returns a healthy bed that lives as long as the process `owner` (this one; 0: for ever).
        """
        artifacts.fetch(version)
        folder = place.make_folder(f"muster-hadoop-{version}-{variant}-")
        owner = os.getpid() if owner is None else owner
        with open(folder / "keeper.log", "wb") as log:
            subprocess.Popen([sys.executable, "-B", HERE / "keeper.py", folder, str(owner)],
                             stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                             start_new_session=True)
        until((folder / "control").exists, 60, lambda: "the keeper of the bed: "
              + (folder / "keeper.log").read_text())
        names = layout.port_names(layout.VARIANTS[variant])
        numbers = ask(folder, do="hold", count=len(names))["ports"]
        (folder / "bed.json").write_text(json.dumps({
            "version": version, "variant": variant, "overrides": {},
            "ports": dict(zip(names, numbers, strict=True))}))
        bed = cls(folder)
        try:
            bed.prepare()
            if bed.kdc:
                bed.start_kdc()
            # Daemons that need no file system start while it is being made.
            for name in (*bed.variant.names("rm"), *bed.variant.names("nm")):
                bed.run(name)
            bed.format()
            for name in (*bed.variant.names("nn"), *bed.variant.names("dn")):
                bed.run(name)
            bed.become_active()
            bed.wait_healthy(within)
        except BaseException:
            bed.end()
            raise
        return bed

    @classmethod
    def attach(cls, folder):
        """Returns a handle to a bed that another process started."""
        return cls(folder)

    def is_up(self):
        """Returns whether nobody has ended the bed yet."""
        return (self.folder / "control").exists()

    def prepare(self):
        for name in ("logs", "tmp"):
            (self.folder / name).mkdir()
        self.settings.write_client()
        layout.write_script(self.version, self.folder)
        for name in self.variant.daemons:
            self.settings.prepare_daemon(name)

    def start_kdc(self):
        self.kdc.make()
        ask(self.folder, do="start", name="kdc", command=self.kdc.command,
            environment=self.kdc.environment, log=str(self.folder / "logs" / "kdc.log"))
        until(self.kdc.answers, 60, lambda: f"the KDC answers{self.log_tails(['kdc'])}")
        self.kdc.kinit()

    def format(self):
        """Makes the file system, once; a second namenode begins with a copy of it."""
        first, *others = self.variant.names("nn")
        self.settings.write_daemon(first)
        flags = ["-format", "-force", "-nonInteractive", "-clusterId", "bed"]
        done = subprocess.run(
            self.daemon_command(first) + flags,
            env=self.daemon_environment(first), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise BedError(f"the namenode could not be formatted:\n{done.stderr[-3000:]}")
        for name in others:
            (self.folder / name).mkdir()
            shutil.copytree(self.folder / first / "name", self.folder / name / "name")

    def become_active(self):
        """Makes the first one of each pair active, if there are pairs."""
        if self.variant.ha:
            for name in ("nn1", "rm1"):
                self.activate(name)

    def end(self):
        """Ends everything and removes the folder; nothing is left when it returns."""
        with contextlib.suppress(OSError):
            guard = ask(self.folder, do="who")["guard"]
            ask(self.folder, do="end")
            until(lambda: is_gone(guard), 180, f"the keeper's guard {guard} ends")
        shutil.rmtree(self.folder, ignore_errors=True)

    # Places

    @property
    def settings(self):
        return Settings(self.folder, self.version, self.variant, self.ports, self.overrides)

    @property
    def environment(self):
        """Returns the environment of clients: this process's, without its own Hadoop."""
        kept = {key: value for key, value in os.environ.items()
                if not key.startswith(("HADOOP_", "YARN_", "HDFS_", "JAVA_TOOL_OPTIONS"))}
        return {**kept, "JAVA_HOME": str(artifacts.java_home()),
                "HADOOP_CONF_DIR": str(self.folder / "conf"), **self.extra_environment}

    @property
    def extra_environment(self):
        """Returns the variables that clients need besides HADOOP_CONF_DIR."""
        if not self.kdc:
            return {}
        return {"KRB5_CONFIG": str(self.kdc.conf), "KRB5CCNAME": self.kdc.cache}

    @property
    def java_flags(self):
        """Returns the flags that a Java client needs, since Java ignores KRB5_CONFIG."""
        return [f"-Djava.security.krb5.conf={self.kdc.conf}"] if self.kdc else []

    def daemon_environment(self, name):
        own = {"HADOOP_CONF_DIR": str(self.folder / name / "conf"), "MALLOC_ARENA_MAX": "2",
               "HADOOP_HOME": str(self.folder), "HADOOP_LOG_DIR": str(self.folder / "logs")}
        path = {"PATH": layout.PATH, "LANG": "C.UTF-8"}
        return {**self.environment, **path, **own}

    def port(self, name):
        """Returns the number of a port such as `nn1.rpc` (layout.PORTS has them all)."""
        return self.ports[name]

    def uri(self, path="/"):
        """Returns the full URI of a path in the file system."""
        return f"{self.settings.core()['fs.defaultFS']}{path}"

    def get(self, port, path):
        """Returns the JSON that a daemon gives for a path, e.g. get("rm1.http", "/ws/v1/...");
        waits until it gives one."""
        return until(lambda: health.get_json(self.port(port), path, within=30), 120,
                     f"{port} answers at {path}")

    def keeper(self):
        """Returns the process whose children all daemons are."""
        return ask(self.folder, do="who")["keeper"]

    def log(self, name, status=None):
        """Returns everything that a daemon has logged since it was last started."""
        with open(self.folder / "logs" / f"{name}.log", errors="replace") as log:
            log.seek((status or self.status())[name]["log_start"])
            return log.read()

    # Hadoop's own tools, beside `shell`

    def client_conf(self, overrides):
        """Returns another configuration folder for clients: the usual one with the overrides."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="conf-", dir=self.folder))
        settings = self.settings
        settings.overrides = {file: {**self.overrides.get(file, {}), **overrides.get(file, {})}
                              for file in {*self.overrides, *overrides}}
        settings.write(folder, settings.files())
        return folder

    def java(self, main, *words, within=180, env=None, conf=None):
        """Runs a tool (shell.TOOLS) or a class in a Java process of its own."""
        main, words = main_class([str(word) for word in (main, *words)])
        command = layout.java_command(self.version, conf or self.conf, main, words,
                                      flags=self.java_flags)
        done = subprocess.run(command, env={**self.environment, **(env or {})}, timeout=within,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        return Finished([main, *words], done.returncode, done.stdout,
                        done.stderr.decode(errors="replace"))

    @contextlib.contextmanager
    def node_labels(self, labels):
        """Labels node managers (name → exclusive label) for a while."""
        names = ",".join(f"{label}(exclusive=true)" for label in sorted(set(labels.values())))
        self.shell("rmadmin", "-addToClusterNodeLabels", names).expect()

        def replace(value):
            return " ".join(f"{self.settings.at(f'{name}.rpc')}={value(name)}" for name in labels)

        try:
            self.shell("rmadmin", "-replaceLabelsOnNode", replace(labels.get)).expect()
            yield
        finally:
            self.shell("rmadmin", "-replaceLabelsOnNode", replace(lambda _: "")).expect()

    # Daemons

    def status(self):
        """For each daemon that was ever started: its pid, and how it ended, if it did."""
        status = ask(self.folder, do="status")
        return {name: state for name, state in status.items() if name != shell.NAME}

    def pid(self, name):
        return self.status()[name]["pid"]

    def running(self, name):
        return self.status().get(name, {"ended": 0})["ended"] is None

    def run(self, name):
        """Starts a daemon that is not running; does not wait until it is usable."""
        self.settings.write_daemon(name)
        ask(self.folder, do="start", name=name,
            command=self.daemon_command(name),
            environment=self.daemon_environment(name),
            log=str(self.folder / "logs" / f"{name}.log"))

    def daemon_command(self, name):
        return layout.daemon_command(self.version, self.folder, name, self.java_flags,
                                     self.variant.measured)

    def send(self, name, number):
        ask(self.folder, do="signal", name=name, number=int(number))

    def kill(self, name, number=signal.SIGKILL):
        """Ends a daemon with a signal and waits until it has ended. Containers live on."""
        self.send(name, number)
        if number == signal.SIGTERM:
            self.send(name, signal.SIGCONT)
        until(lambda: not self.running(name), 60, f"{name} ends after signal {number}")

    def stop(self, name):
        """Ends a daemon as an administrator would."""
        self.kill(name, signal.SIGTERM)

    def freeze(self, name):
        """Suspends a daemon: its connections stay open, but nothing answers."""
        self.send(name, signal.SIGSTOP)
        pid = self.pid(name)
        until(lambda: state_of(pid) == "T", 60, f"{name} is stopped")

    def thaw(self, name):
        self.send(name, signal.SIGCONT)

    def restart(self, *names, number=signal.SIGTERM):
        """Ends daemons, starts them, and waits until the bed is healthy."""
        for name in names:
            if self.running(name):
                self.kill(name, number)
        for name in names:
            self.run(name)
        self.become_active_again(names)
        self.wait_healthy()

    def become_active_again(self, names):
        for kind in ("nn", "rm"):
            pair = self.variant.names(kind)
            if self.variant.ha and set(names) & set(pair) and not self.active(kind):
                self.activate(pair[0])

    @contextlib.contextmanager
    def configured(self, overrides, restart=(), refresh=()):
        """Runs the block with other settings (file → key → value), for which daemons are restarted
        or resource managers told to reload some (arguments of rmadmin such as `-refreshQueues`);
        afterwards restores the previous settings."""
        before = json.loads(json.dumps(self.overrides))
        try:
            for file, values in overrides.items():
                self.overrides.setdefault(file, {}).update(values)
            self.apply(restart, refresh)
            yield self
        finally:
            self.overrides.clear()
            self.overrides.update(before)
            self.apply(restart, refresh)

    def apply(self, restart, refresh):
        state = json.loads((self.folder / "bed.json").read_text())
        self.replace("bed.json", json.dumps({**state, "overrides": self.overrides}))
        self.settings.write_client()
        self.shell.end()
        if restart:
            self.restart(*restart)
        for word in refresh:
            for name in self.variant.names("rm"):
                self.settings.write_daemon(name)
            self.shell("rmadmin", word).expect()

    def replace(self, name, text):
        (self.folder / f"{name}.new").write_text(text)
        (self.folder / f"{name}.new").rename(self.folder / name)

    # Pairs

    def active(self, kind):
        """Returns the active one of the pair `nn` or `rm`, or None."""
        probe = {"nn": health.namenode, "rm": health.resourcemanager}[kind]
        for name in self.variant.names(kind):
            if str(probe(self.port(f"{name}.http"))[0]).lower() == "active":
                return name
        return None

    def the_active(self, kind):
        """The same, once there is one: a busy daemon may not answer at the first look."""
        return until(lambda: self.active(kind), 60, f"one {kind} is active")

    def activate(self, name, within=START_LIMIT):
        """Makes one of a pair the active one and the other a standby, or kills that one if it is
        frozen."""
        kind = layout.kind_of(name)
        tool = {"nn": "haadmin", "rm": "rmadmin"}[kind]
        for other in self.variant.names(kind):
            if other != name and self.running(other):
                if state_of(self.pid(other)) == "T":
                    self.kill(other)
                elif self.active(kind) == other:
                    self.shell(tool, "-transitionToStandby", other).expect()
        probe = {"nn": health.namenode, "rm": health.resourcemanager}[kind]
        until(lambda: self.running(name) and probe(self.port(f"{name}.http"))[0] is not None,
              within, lambda: f"{name} answers{self.log_tails([name])}")
        # The other one may be dead; then it could not be asked whether it agrees.
        self.shell(tool, "-transitionToActive", "--forceactive", name).expect()
        until(lambda: self.active(kind) == name, within, f"{name} is active")

    # Health

    def wait_healthy(self, within=START_LIMIT):
        """Waits until every daemon is running, out of safe mode, and aware of all the others."""
        def healthy():
            for name, state in self.status().items():
                if state["ended"] is not None:
                    raise BedError(f"{name} ended with {state['ended']}{self.log_tails([name])}")
            return not health.complaints(self)

        try:
            until(healthy, within, lambda: "; ".join(health.complaints(self)), pause=0.2)
        except WaitError as error:
            raise BedError(f"the bed is not healthy, {error}{self.log_tails()}") from None

    def restore(self):
        """Brings back whatever a test has killed, frozen or put into safe mode."""
        ended = [name for name in self.variant.daemons if not self.running(name)]
        for name in set(self.variant.daemons) - set(ended):
            self.thaw(name)
        for name in ended:
            self.run(name)
        self.become_active_again(ended)
        if any("in safe mode" in complaint for complaint in health.complaints(self)):
            self.shell("dfsadmin", "-safemode", "leave")
        self.wait_healthy()

    def log_sizes(self):
        return {name: (self.folder / "logs" / f"{name}.log").stat().st_size
                for name in self.status()}

    def log_tails(self, names=None, since=None, lines=25):
        """Returns the last lines of each daemon's log, limited to those after `since`."""
        text = ""
        for name in names or self.variant.daemons:
            path = self.folder / "logs" / f"{name}.log"
            if path.exists():
                with open(path, "rb") as log:
                    log.seek((since or {}).get(name, 0))
                    last = log.read().decode(errors="replace").splitlines()[-lines:]
                text += f"\n--- {name}\n" + "\n".join(last) if last else ""
        return text
