"""Java programs written against TonY's classes: compiled by javac, run with muster-tony.jar."""

import re
import shutil
import subprocess

import harness

JAR = harness.BINARY.parent / "muster-tony.jar"
# The signatures of Hadoop's classes that the jar is compiled against.
SIGNATURES = JAR.parent / "java" / "hadoop"
SOURCES = harness.REPOSITORY / "test" / "java"
# Small programs such as users of TonY's embedding API have.
EMBEDDING = sorted((SOURCES / "embedding").glob("*.java"))
# A program that lives for seconds would pay for what Java prepares for longer lives.
BRIEFLY = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"]


def need_jar():
    assert shutil.which("javac"), "there is no JDK; run: tools/setup java"
    assert JAR.exists(), f"{JAR} is missing; run: make"


def compile_into(folder, *programs, class_path=(SIGNATURES,), text=None):
    """Compiles programs against the jar and Hadoop's classes into the folder, which it returns.
    `programs`: the names of those in test/java, or a path to which `text` is written first."""
    need_jar()
    files = [SOURCES / f"{program}.java" if isinstance(program, str) else program
             for program in programs]
    if text is not None:
        files[0].write_text(text)
    path = ":".join(str(each) for each in [JAR, *class_path])
    flags = [*(f"-J{flag}" for flag in BRIEFLY), "--release", "8", "-nowarn", "-Xlint:-options"]
    done = subprocess.run(["javac", *flags, "-cp", path, "-d", folder, *files],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


class Java(harness.Running):
    """A class running in a virtual machine, with the home of the program `muster`."""

    def __init__(self, muster, name, *arguments, class_path=(), env=None, jar=JAR, cwd=None):
        environment = {**muster.environment, "MUSTER_BINARY": str(harness.BINARY), **(env or {})}
        environment = {key: value for key, value in environment.items() if value is not None}
        path = ":".join(str(each) for each in [jar, *class_path])
        super().__init__([*BRIEFLY, "-cp", path, name, *map(str, arguments)], environment,
                         cwd or muster.folder, program=shutil.which("java"))


def rows_of(out):
    """Returns what Embedding heard: task → status for each call of the listener."""
    return [dict(pair.split("=") for pair in row.split(", "))
            for row in re.findall(r"^tasks \{(.*)\}$", out, re.MULTILINE)]


def states_of(out, task):
    """Returns the statuses that Embedding heard for a task, each once while it lasts."""
    states = []
    for row in rows_of(out):
        if states[-1:] != [row[task]]:
            states.append(row[task])
    return states


def script(path, text):
    """Writes a program, and returns its path."""
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path
