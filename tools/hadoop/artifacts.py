"""The jars of a Hadoop version: Maven fetches them once; after that the cache needs no network.

They live in ${XDG_CACHE_HOME:-~/.cache}/muster/hadoop-VERSION-<hash of what makes them>/jars. A
folder counts only if its file `complete` is there; a lock makes concurrent calls safe.
"""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent

# Hadoop version → the version of its sample application: not every release publishes that one.
SAMPLE_APPLICATION = {"3.3.6": "3.3.1", "3.4.3": "3.4.2"}
VERSIONS = sorted(SAMPLE_APPLICATION)

# Logging back ends that would win over reload4j because of the class path's order.
UNWANTED = re.compile(r"^(logback-.*|slf4j-log4j12-.*|log4j-1\.2\..*|.*-osx-.*|.*-riscv64)\.jar$")


# Flags of a Java process that ends soon.
BRIEFLY = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"]


class ArtifactError(Exception):
    """The jars cannot be obtained; the message says why and what to do."""


def say(text):
    print(f"hadoop bed: {text}", file=sys.stderr, flush=True)


def java_home():
    """Returns the folder of Java 17: Hadoop 3 does not run on 23 and later, and its flags may not
    exist there."""
    homes = sorted(pathlib.Path("/usr/lib/jvm").glob("java-17-openjdk-*"))
    for home in [*homes, pathlib.Path(os.environ.get("JAVA_HOME") or "/nonexistent")]:
        if (home / "bin" / "java").exists():
            return home
    raise ArtifactError("there is no Java 17 in /usr/lib/jvm; run: tools/setup hadoop")


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "muster"


def digest(*contents):
    return hashlib.sha256(b"\0".join(contents)).hexdigest()[:12]


def folder_of(version):
    if version not in SAMPLE_APPLICATION:
        raise ArtifactError(f"no Hadoop {version} here; there are: {', '.join(VERSIONS)}")
    made_of = (HERE / "pom.xml").read_bytes(), UNWANTED.pattern.encode()
    return cache_folder() / f"hadoop-{version}-{digest(*made_of)}"


def own_classes(version):
    """Returns the sources of the classes that a bed runs beside Hadoop's own."""
    return [HERE / "ShellServer.java", HERE / "Rehearsal.java", HERE / "QuickLocalFileSystem.java",
            *([HERE / "QuietResourceManager.java"] if version == "3.3.6" else [])]


def own_jar_of(version):
    """Returns the jar with own_classes, which is rebuilt when a source changes."""
    made_of = digest(*(source.read_bytes() for source in own_classes(version)))
    return folder_of(version) / f"own-{made_of}.jar"


def is_complete(version):
    return (folder_of(version) / "complete").exists() and own_jar_of(version).exists()


def class_path(version):
    """Returns the jars of a version that has been fetched, always in the same order."""
    if not is_complete(version):
        raise ArtifactError(f"Hadoop {version} is not here; run: tools/hadoop/fetch {version}")
    jars = sorted((folder_of(version) / "jars").glob("*.jar"))
    return ":".join(str(jar) for jar in [*jars, own_jar_of(version)])


def fetch(version):
    """Makes sure that the version's folder is complete, and returns it."""
    folder = folder_of(version)
    if is_complete(version):
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.with_suffix(folder.suffix + ".lock"), f"Hadoop {version}"):
        if not (folder / "complete").exists():
            make(version, folder)
        if not own_jar_of(version).exists():
            compile_own(version, own_jar_of(version))
    return folder


@contextlib.contextmanager
def locked(path, what):
    with open(path, "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"another process is fetching {what}; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make(version, folder):
    started = time.monotonic()
    say(f"fetching the jars of Hadoop {version} (about 90 MB, 10 to 60 s)")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "jars").mkdir(parents=True)
    run_maven(version, folder / "jars")
    for jar in (folder / "jars").iterdir():
        if UNWANTED.match(jar.name):
            jar.unlink()
    (folder / "complete").touch()
    say(f"Hadoop {version} is in {folder}, after {time.monotonic() - started:.0f} s")


def run_maven(version, jars):
    command = [
        "mvn", "-B", "-q", "-ntp", "-f", HERE / "pom.xml",
        f"-Dmaven.repo.local={cache_folder() / 'maven'}", f"-Dhadoop.version={version}",
        f"-Dsample.version={SAMPLE_APPLICATION[version]}", "dependency:copy-dependencies",
        "-DincludeScope=runtime", f"-DoutputDirectory={jars}"]
    if not shutil.which("mvn"):
        raise ArtifactError("Maven is missing; run: tools/setup hadoop")
    # Two Mavens on one repository disturb each other: versions are fetched one after the other.
    with locked(cache_folder() / "maven.lock", f"Hadoop {version}"):
        options = " ".join([*BRIEFLY, os.environ.get("MAVEN_OPTS", "")])
        done = subprocess.run(command, env={**os.environ, "JAVA_HOME": str(java_home()),
                                            "MAVEN_OPTS": options},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ArtifactError(f"Maven could not fetch Hadoop {version}: is there a network? It said:"
                            f"\n{(done.stdout + done.stderr)[-3000:]}")


def compile_java(version, classes, *sources):
    """Compiles classes into a folder, against a version, with ecj, because there may be no
    javac."""
    jars = folder_of(version) / "jars"
    done = subprocess.run(
        [java_home() / "bin" / "java", *BRIEFLY, "-jar", next(jars.glob("ecj-*.jar")), "-17",
         "-nowarn", "-cp", ":".join(str(jar) for jar in jars.glob("hadoop-*.jar")), "-d", classes,
         *sources],
        capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ArtifactError(f"{' '.join(source.name for source in sources)} does not compile:\n"
                            f"{done.stdout}{done.stderr}")


def compile_own(version, target):
    with tempfile.TemporaryDirectory() as folder:
        classes = pathlib.Path(folder) / "classes"
        compile_java(version, classes, *own_classes(version))
        with zipfile.ZipFile(target.with_suffix(".new"), "w") as jar:
            for path in sorted(classes.rglob("*.class")):
                jar.write(path, path.relative_to(classes))
        target.with_suffix(".new").rename(target)
