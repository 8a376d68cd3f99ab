#!/usr/bin/env python3
"""Makes the labelled corpus of test/verdict/corpus by running programs that really fail.

usage: make.py [--tensorflow PYTHON] [--only SUBSTRING] [--list]

Each case becomes test/verdict/corpus/<class>/<name>.txt: a header (class, exit_code or signal,
source, command), a line "---", and the last 4 KiB that the program wrote (stdout and stderr
together). Cases that need root (small file systems), a C compiler, Debian's python3-torch or
TensorFlow are skipped, with a line on stderr, if these are missing; files of skipped cases stay as
they are. Files with "source: documented" are written by hand and never touched.
"""

import argparse
import os
import pathlib
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import gangs
import places
import programs

CORPUS = pathlib.Path(__file__).resolve().parents[2] / "test" / "verdict" / "corpus"

TAIL = 4096
PYTHON = "/usr/bin/python3"


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def limited(case):
    """Returns what the child does between fork and exec: its limits and, if asked, another user."""
    def prepare():
        if case.get("files"):
            resource.setrlimit(resource.RLIMIT_NOFILE, (case["files"], case["files"]))
        if case.get("memory"):
            resource.setrlimit(resource.RLIMIT_AS, (case["memory"], case["memory"]))
        if case.get("processes"):
            resource.setrlimit(resource.RLIMIT_NPROC, (case["processes"], case["processes"]))
        if case.get("nobody"):
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return prepare


def clean(output, folder, tensorflow):
    """Replaces whatever identifies this machine, and keeps the last 4 KiB."""
    output = output.replace(str(folder).encode(), b"/job")
    if tensorflow:
        venv = str(pathlib.Path(tensorflow).parent.parent)
        output = output.replace(venv.encode(), b"/job/venv")
    name = re.escape(socket.gethostname().encode())
    output = re.sub(rb"\b" + name + rb"\b", b"host1", output)
    return output[-TAIL:]


def write(label, name, status, command, output):
    folder = CORPUS / label
    folder.mkdir(parents=True, exist_ok=True)
    ended = f"exit_code: {status}" if status >= 0 else f"signal: {-status}"
    header = f"class: {label}\n{ended}\nsource: ran\ncommand: {command}\n---\n"
    (folder / f"{name}.txt").write_bytes(header.encode() + output)
    last = output.decode(errors="replace").strip().splitlines()[-1:] or ["(no output)"]
    print(f"{label}/{name}: {ended}: {last[0][:100]}")


def missing(case, tensorflow):
    if case.get("root") and os.geteuid() != 0:
        return "root"
    if case.get("needs") == "cc" and not (shutil.which("cc") and shutil.which("c++")):
        return "a C compiler"
    if case.get("python") == "tensorflow" and not tensorflow:
        return "--tensorflow"
    if case.get("python") == "torch" and subprocess.run(
            [PYTHON, "-c", "import torch"], capture_output=True).returncode != 0:
        return "python3-torch"
    return None


def interpreter(case, tensorflow):
    return tensorflow if case.get("python") == "tensorflow" else PYTHON


def environment(folder, extra=None):
    keep = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
    keep["PATH"] = "/usr/bin:/bin"
    keep.update({"TF_CPP_MIN_LOG_LEVEL": "1", "CUDA_VISIBLE_DEVICES": "-1", "TMPDIR": str(folder)})
    keep.update(extra or {})
    return keep


def run_single(case, folder, tensorflow):
    """Runs one program to its end. Returns (status, command as shown, output)."""
    for file, text in case.get("with", {}).items():
        (folder / file).write_text(text)
    if "setup" in case:
        subprocess.run(["/bin/sh", "-c", case["setup"]], cwd=folder, check=True)
    port = free_ports(1)[0]
    extra = {key: value.replace("PORT", str(port)) for key, value in case.get("env", {}).items()}
    if "script" in case:
        (folder / "train.py").write_text(case["script"])
        words, shown = [interpreter(case, tensorflow), "train.py"], "python3 train.py"
    else:
        words, shown = ["/bin/sh", "-c", case["shell"]], case["shell"]
    if case.get("wrap"):
        words = case["wrap"] + words
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                 stderr=output, env=environment(folder, extra),
                                 preexec_fn=limited(case), start_new_session=True)
        try:
            if "kill" in case:
                time.sleep(case.get("after", 1.0))
                child.send_signal(case["kill"])
            status = child.wait(timeout=case.get("timeout", 120))
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 9)
            child.wait()
            raise RuntimeError("did not end in time") from None
        finally:
            if "teardown" in case:
                subprocess.run(["/bin/sh", "-c", case["teardown"]], cwd=folder, check=False)
        output.seek(0)
        text = output.read()
    source = case.get("script", "")
    inline = " ".join(source.split("\n")[:1]) if source.startswith("#") else ""
    return status, (shown + ("  " + inline if inline else "")).replace("\n", "; "), text


def run_gang(gang, folder, tensorflow):
    """Starts a gang, kills one member once the others print "step", returns the victim's output."""
    ports = free_ports(len(gang["members"]) + 1)
    (folder / "train.py").write_text(gang["script"])
    children, outputs = [], []
    for index, member in enumerate(gang["members"]):
        path = folder / f"out.{index}"
        outputs.append(path)
        env = {key: re.sub(r"PORT(\d)", lambda match: str(ports[int(match[1])]), value)
               for key, value in member.items()}
        with path.open("wb") as output:
            children.append(subprocess.Popen(
                [interpreter(gang, tensorflow), "train.py"], cwd=folder, stdout=output,
                stderr=output, env=environment(folder, env), start_new_session=True))
    victim, culprit = gang["victim"], gang["culprit"]
    try:
        deadline = time.monotonic() + 120
        while b"step 3" not in outputs[gang.get("watch", victim)].read_bytes():
            if time.monotonic() > deadline or children[victim].poll() is not None:
                raise RuntimeError("the gang did not start: " +
                                   outputs[victim].read_text(errors="replace")[-500:])
            time.sleep(0.1)
        children[culprit].send_signal(gang.get("kill", 9))
        status = children[victim].wait(timeout=120)
    finally:
        for child in children:
            if child.poll() is None:
                child.kill()
            child.wait()
    return status, f"python3 train.py ({gang['about']})", outputs[victim].read_bytes()


def cases():
    singles = [(run_single, case) for case in programs.CASES + places.CASES]
    return singles + [(run_gang, gang) for gang in gangs.GANGS]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tensorflow", metavar="PYTHON", help="an interpreter with TensorFlow")
    parser.add_argument("--only", default="", help="run the cases whose class/name contains this")
    parser.add_argument("--list", action="store_true")
    asked = parser.parse_args()
    failures = 0
    for run, case in cases():
        where = f"{case['class']}/{case['name']}"
        if asked.only not in where:
            continue
        if asked.list:
            print(where)
            continue
        lacking = missing(case, asked.tensorflow)
        if lacking:
            print(f"{where}: skipped, needs {lacking}", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory(dir="/tmp", prefix="corpus-") as name:
            folder = pathlib.Path(name)
            folder.chmod(0o777)
            try:
                status, command, output = run(case, folder, asked.tensorflow)
                if status == 0:
                    raise RuntimeError("it succeeded")
                write(case["class"], case["name"], status, command,
                      clean(output, folder, asked.tensorflow))
            except (RuntimeError, subprocess.SubprocessError) as failure:
                print(f"{where}: {failure}", file=sys.stderr)
                failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
