"""The archive of Java's classes that a bed's daemons start from, one for each Hadoop version.

Most of the cost of a short-lived daemon is reading, parsing and linking its classes. Java can keep
them ready to be mapped into memory (class data sharing) once it has been told which ones: those
that one daemon of each kind and a shell load (Rehearsal.java). Without the archive everything still
works, but more slowly.
"""

import pathlib
import subprocess
import tempfile
import time

import artifacts
import layout
import ports
from settings import Settings

VARIANT = layout.Variant(datanodes=1, nodemanagers=1)
PAGES = {
    "nn1": ["/jmx?qry=Hadoop:service=NameNode,name=NameNodeStatus"],
    "dn1": ["/jmx?qry=Hadoop:service=DataNode,name=DataNodeInfo"],
    "rm1": [f"/ws/v1/cluster/{what}" for what in ("info", "metrics", "nodes", "apps", "scheduler")],
}
PAGES_OF_NODE = ["/ws/v1/node/info", "/ws/v1/node/containers"]


def make(version):
    """Makes the archive if it is not there; prints a message if that is not possible."""
    archive = layout.archive_of(version)
    with artifacts.locked(archive.with_suffix(".lock"), f"the classes of Hadoop {version}"):
        if archive.exists():
            return
        started = time.monotonic()
        artifacts.say(f"making an archive of the classes of Hadoop {version} (15 to 60 s)")
        with tempfile.TemporaryDirectory(prefix="muster-classes-") as folder:
            failure = rehearse(version, pathlib.Path(folder)) or dump(version, archive, folder)
    artifacts.say(f"no archive of Hadoop {version}, whose daemons will start slowly: {failure}"
                  if failure else f"made in {time.monotonic() - started:.0f} s")


def rehearse(version, folder):
    """Writes FOLDER/classes, the names of the classes; returns what went wrong, if anything."""
    names = layout.port_names(VARIANT)
    holders = ports.held(len(names))
    numbers = [holder.getsockname()[1] for holder in holders]
    settings = Settings(folder, version, VARIANT, dict(zip(names, numbers, strict=True)), {})
    files = settings.files()
    for name in ("logs", "tmp"):
        (folder / name).mkdir()
    for name in VARIANT.daemons:
        settings.prepare_daemon(name)
        for file, values in settings.of(name).items():
            files.setdefault(file, {}).update(values)
    settings.write(folder / "conf", files)
    pages = [f"http://{settings.at(f'{name}.http')}{path}"
             for name, paths in PAGES.items() for path in paths]
    of_node = [f"http://{settings.at('nm1.http')}{path}" for path in PAGES_OF_NODE]
    command = layout.java_command(
        version, folder / "conf", "Rehearsal", [*pages, "--", *of_node], heap="512m",
        flags=[f"-XX:DumpLoadedClassList={folder}/classes", f"-Dhadoop.log.dir={folder}/logs",
               f"-Dyarn.log.dir={folder}/logs"])
    failure = run(command, folder)
    for holder in holders:
        holder.close()
    return failure


def dump(version, archive, folder):
    part = archive.with_suffix(".new")
    failure = run([*layout.java(), *layout.QUICK, "-Xshare:dump",
                   f"-XX:SharedClassListFile={folder}/classes", f"-XX:SharedArchiveFile={part}",
                   "-Xlog:disable", "-cp", artifacts.class_path(version)], folder)
    if not failure:
        part.rename(archive)
    return failure


def run(command, folder):
    """Runs a command; returns the end of its output if it failed."""
    environment = {"PATH": layout.PATH, "LANG": "C.UTF-8", "HOME": str(folder)}
    try:
        done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return f"{command[0]} took more than 300 s"
    return (done.stdout + done.stderr)[-3000:] if done.returncode != 0 else None
