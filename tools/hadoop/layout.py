"""Which daemons a bed has, on which ports they listen, and how each is started."""

import dataclasses
import getpass
import os
import pathlib
import pwd

import artifacts

# What each kind of daemon listens on.
PORTS = {
    "nn": ("rpc", "http"),
    "dn": ("data", "http", "ipc"),
    "rm": ("rpc", "scheduler", "tracker", "admin", "http"),
    "nm": ("rpc", "localizer", "http", "collector"),
}

MAIN = {
    "nn": "org.apache.hadoop.hdfs.server.namenode.NameNode",
    "dn": "org.apache.hadoop.hdfs.server.datanode.DataNode",
    "rm": "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager",
    "nm": "org.apache.hadoop.yarn.server.nodemanager.NodeManager",
}

# For daemons and containers; a node manager's own programs come before it.
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

HEAP = {"nn": "160m", "dn": "128m", "rm": "192m", "nm": "160m"}

OPENED = ["java.lang", "java.lang.reflect", "java.util", "java.util.concurrent", "java.io",
          "java.net", "java.nio", "sun.nio.ch", "sun.net.dns"]


@dataclasses.dataclass(frozen=True)
class Variant:
    """A kind of bed: how many of each daemon, and how they know their callers."""

    namenodes: int = 1
    datanodes: int = 2
    resourcemanagers: int = 1
    nodemanagers: int = 2
    kerberos: bool = False
    gpu_plugin: bool = False  # GPUs are found by asking nvidia-smi; otherwise only counted.
    measured: bool = False  # As on a real cluster: large blocks, code compiled as well as Java can.

    @property
    def ha(self):
        return self.namenodes > 1

    def names(self, kind):
        count = {"nn": self.namenodes, "dn": self.datanodes, "rm": self.resourcemanagers,
                 "nm": self.nodemanagers}[kind]
        return [f"{kind}{number}" for number in range(1, count + 1)]

    @property
    def daemons(self):
        """All names."""
        return [name for kind in ("nn", "dn", "rm", "nm") for name in self.names(kind)]


VARIANTS = {
    "plain": Variant(),
    "ha": Variant(namenodes=2, resourcemanagers=2),
    "kerberos": Variant(kerberos=True),
    "yarn": Variant(datanodes=1, nodemanagers=3, gpu_plugin=True),
    "storage": Variant(datanodes=1, resourcemanagers=0, nodemanagers=0, measured=True),
}


def kind_of(name):
    return name[:2]


def port_names(variant):
    """Returns every port of the bed as DAEMON.WHAT, such as `nn1.rpc`."""
    names = [f"{name}.{what}" for name in variant.daemons for what in PORTS[kind_of(name)]]
    return [*names, "kdc.tcp"] if variant.kerberos else names


def user():
    """The user name that Hadoop sees: the account's, whatever the environment says."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return getpass.getuser()


# Starts sooner, stays smaller, and starts other programs without a helper program.
QUICK = [*artifacts.BRIEFLY, "-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote",
         "-Djdk.lang.Process.launchMechanism=VFORK"]


def java_flags(conf):
    """The flags that Hadoop needs on Java 17, whatever is measured."""
    flags = ["-Djava.net.preferIPv4Stack=true",
             f"-Dlog4j.configuration=file:{conf}/log4j.properties"]
    for package in OPENED:
        flags += ["--add-opens", f"java.base/{package}=ALL-UNNAMED"]
    return [*flags, "--add-exports", "java.base/sun.net.dns=ALL-UNNAMED",
            "--add-exports", "java.base/sun.net.util=ALL-UNNAMED",
            "--add-opens", "java.security.jgss/sun.security.krb5=ALL-UNNAMED"]


def java():
    return [str(artifacts.java_home() / "bin" / "java")]


def archive_of(version):
    """Returns the path of the class archive (class_archive.py), whether it exists or not. An
    archive is only for this Java, these jars and these flags."""
    made = os.stat(java()[0]).st_mtime_ns
    made_of = " ".join([*java(), str(made), artifacts.class_path(version), *QUICK])
    return artifacts.folder_of(version) / f"classes-{artifacts.digest(made_of.encode())}.jsa"


def java_command(version, conf, main, arguments=(), heap="128m", flags=()):
    """Returns the command that runs a class with a configuration folder."""
    return [*java(), f"-Xmx{heap}", *QUICK, *java_flags(conf), *class_flags(version, conf), *flags,
            main, *arguments]


def class_flags(version, conf):
    """The jars must come before the folder, or their archive is ignored. A folder with classes of
    its own (clocks.py) uses them in place of those in the jars."""
    jars = artifacts.class_path(version)
    if (pathlib.Path(conf) / "org").exists():
        return ["-cp", f"{conf}:{jars}"]
    archive = archive_of(version)
    shared = [f"-XX:SharedArchiveFile={archive}", "-XX:ArchiveRelocationMode=0", "-Xlog:disable"]
    return [*(shared if archive.exists() else []), "-cp", f"{jars}:{conf}"]


def measured_command(version, conf, main, arguments=()):
    """Returns the command that runs a class as the `hadoop` script does: Java's own defaults."""
    return [*java(), *java_flags(conf), "-cp", f"{conf}:{artifacts.class_path(version)}", main,
            *arguments]


def write_script(version, folder):
    """Writes the script that an installed Hadoop has in bin and its artifacts lack: containers,
    which are given HADOOP_HOME, ask it for the class path."""
    script = folder / "bin" / "hadoop"
    script.parent.mkdir()
    jars = artifacts.folder_of(version) / "jars"
    script.write_text('#!/bin/sh\ncase "$*" in\n'
                      f'classpath) jars="{jars}/*" ;;\n'
                      f'"classpath --glob") jars=$(printf "%s:" {jars}/*.jar) ;;\n'
                      '*) exit 2 ;;\nesac\n'
                      f'echo "${{HADOOP_CONF_DIR:-{folder}/conf}}:$jars"\n')
    script.chmod(0o755)


def daemon_command(version, folder, name, flags=(), measured=False):
    folder = pathlib.Path(folder)
    kind = kind_of(name)
    own = [f"-Dproc_{name}", f"-Dhadoop.log.dir={folder}/logs", f"-Dyarn.log.dir={folder}/logs",
           f"-Dhadoop.id.str={name}", f"-Dyarn.id.str={name}",
           # Things that a daemon that is killed would leave behind.
           f"-Djava.io.tmpdir={folder}/tmp"]
    if measured:
        own += ["-Xmx512m", "-XX:TieredStopAtLevel=4"]
    main = "QuietResourceManager" if (kind, version) == ("rm", "3.3.6") else MAIN[kind]
    return java_command(version, folder / name / "conf", main, heap=HEAP[kind],
                        flags=[*own, *flags])
