"""Where the parts of a job meet on an executor: files that only this user can access.

`<tmp>/muster-spark-<uid>/<executor>/<job>/<container>/`. An executor is its JVM: every Python
worker finds it among its ancestors, whatever the working folder, the host's name or the order of
tasks. If another user has taken the first name, it is `muster-spark-<uid>.<random>`: whoever looks
for folders looks in all of this user's, because several may be made at once.
"""

from __future__ import annotations

import json
import math
import os
import select
import stat
import time
from pathlib import Path
from typing import Any


def _stat_fields(pid: int) -> list[str]:
    """The fields of /proc/PID/stat, from the state on (field 3 in proc(5))."""
    text = Path(f"/proc/{pid}/stat").read_text()
    return text[text.rindex(")") + 2 :].split()


def start_ticks(pid: int) -> str:
    """When a process started; together with its pid this identifies it uniquely. "" if it has
    ended.
    """
    try:
        return _stat_fields(pid)[19]
    except (OSError, ValueError, IndexError):
        return ""


def lives(pid: int, ticks: str) -> bool:
    """Whether the process that started then is alive; one that only waits to be reaped is not."""
    try:
        fields = _stat_fields(pid)
        return fields[19] == ticks and fields[0] not in "ZX"
    except (OSError, ValueError, IndexError):
        return False


def wait_end(pid: int, ticks: str, seconds: float | None = None) -> bool:
    """Waits until the process that started then has ended, at most for `seconds`; returns whether
    it has. It need not be a child.
    """
    deadline = math.inf if seconds is None else time.monotonic() + seconds
    try:
        watch = os.pidfd_open(pid)
    except OSError:  # It has ended, or the kernel has no such thing.
        watch = -1
    if watch >= 0:
        try:
            if lives(pid, ticks):
                poll = select.poll()
                poll.register(watch, select.POLLIN)
                poll.poll(None if seconds is None else 1000 * seconds)
        finally:
            os.close(watch)
    else:
        while lives(pid, ticks) and time.monotonic() < deadline:
            time.sleep(0.2)  # lint: allow(sleep) a kernel without pidfd
    return not lives(pid, ticks)


def executor_process() -> int:
    """The JVM of the executor that this Python worker belongs to; the parent if none is found (the
    driver's own Python).
    """
    pid = os.getppid()
    while pid > 1:
        try:
            if Path(f"/proc/{pid}/comm").read_text().strip() == "java":
                return pid
            pid = int(_stat_fields(pid)[1])
        except (OSError, ValueError):
            break
    return os.getppid()


def executor_name(process: int) -> str:
    """Spark's name of the executor whose JVM is `process`; "" if unknown."""
    return _argument(process, "--executor-id")


def executor_cores(process: int) -> int:
    """How many cores Spark gave to that executor; 0 if unknown."""
    told = _argument(process, "--cores")
    return int(told) if told.isdigit() else 0


def _argument(process: int, name: str) -> str:
    """The argument that follows `name` in the command line of a process; "" if there is none."""
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace").split("\0")
        return words[words.index(name) + 1]
    except (OSError, ValueError, IndexError):
        return ""


def _is_own(folder: Path) -> bool:
    """Whether it is a folder, not a link, and this user's."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()


def _private(folder: Path) -> Path:
    """Makes a folder that only this user can enter, or checks that it is one."""
    folder.mkdir(mode=0o700, exist_ok=True)
    if not _is_own(folder):
        raise PermissionError(f"{folder} belongs to another user: remove it, or set TMPDIR")
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)
    return folder


def _roots() -> list[Path]:
    """This user's: one, or several if others had taken the name."""
    import tempfile  # Holders and nodes know their folder and do not need this import.

    temporary, name = Path(tempfile.gettempdir()), f"muster-spark-{os.getuid()}"
    found = [temporary / name, *sorted(temporary.glob(f"{name}.*"))]
    return [_private(folder) for folder in found if _is_own(folder)]


def _root() -> Path:
    """The first of them, made if there is none."""
    import tempfile

    name = f"muster-spark-{os.getuid()}"
    for folder in _roots():
        return folder
    try:
        return _private(Path(tempfile.gettempdir()) / name)
    except OSError:  # Another user's, who must not keep this one out.
        return Path(tempfile.mkdtemp(prefix=f"{name}."))


def executor_folder(process: int) -> Path:
    """The folder of the executor whose JVM is `process`. Folders of dead ones are removed."""
    import shutil

    name = f"{process}-{start_ticks(process)}"
    for other in (folder for root in _roots() for folder in root.iterdir()):
        pid, _, ticks = other.name.partition("-")
        if pid.isdigit() and start_ticks(int(pid)) != ticks:
            shutil.rmtree(other, ignore_errors=True)
    return _private(_root() / name)


def make_container(process: int, job: str, container: str) -> Path:
    """A container's folder."""
    return _private(_private(executor_folder(process) / job) / container)


def containers(process: int, job: str) -> list[Path]:
    """Those of a job on an executor, oldest first."""
    found = []
    for root in _roots():
        try:
            folder = root / f"{process}-{start_ticks(process)}" / job
            found += [(path.stat().st_ctime_ns, path) for path in folder.iterdir()]
        except FileNotFoundError:
            continue
    return [path for _, path in sorted(found)]


def neighbours(process: int, job: str) -> list[Path]:
    """Those of a job on the other executors of this user and host that are alive."""
    executors = {folder.name for root in _roots() for folder in root.iterdir()}
    found = []
    for name in sorted(executors):
        pid, _, ticks = name.partition("-")
        if pid.isdigit() and int(pid) != process and start_ticks(int(pid)) == ticks:
            found += containers(int(pid), job)
    return found


def write(path: Path, data: bytes) -> None:
    """Writes a private file whole or not at all."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    os.replace(part, path)


def write_json(path: Path, value: Any) -> None:
    """Writes a private JSON file whole or not at all."""
    write(path, json.dumps(value).encode())


def read_json(path: Path) -> Any:
    """What write_json wrote; None if there is nothing."""
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
