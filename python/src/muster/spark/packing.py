"""What executors need from the driver: this package, the program and the feed library.

Each is added to the application once, under a name derived from its content.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import hashlib
import os
import py_compile
import shutil
import tempfile
import threading
import weakref
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import muster
from muster.native import library_path, program_path

_PREFIX = "muster-ship-"
_OWNED = "owned"  # The file that the driver of a folder has locked.
_PACKAGES = ("muster", "tensorflowonspark", "com")
# Packages without a file of their own: a zip has to name them.
_NAMESPACES = ("com/", "com/yahoo/", "com/yahoo/ml/")
_ENTRY_TIME = (2020, 1, 1, 0, 0, 0)  # The same content gets the same name.
_lock = threading.Lock()
# By context: an application that begins in the same second as one before it, on a master of its
# own (local-cluster), has the same id.
_shipped: weakref.WeakKeyDictionary[Any, Payload] = weakref.WeakKeyDictionary()
_packages: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
_folders: dict[str, Path] = {}  # By application.


@dataclass(frozen=True)
class Payload:
    """The names under which executors find what they were sent (SparkFiles.get)."""

    program: str
    library: str
    packages: str


def ship(sc: Any) -> Payload:
    """Adds everything to the application `sc`, once."""
    with _lock:
        payload = _shipped.get(sc)
        if payload is None:
            payload = _shipped[sc] = _ship(sc)
        return payload


def ship_packages(sc: Any) -> str:
    """Adds the Python packages alone to the application `sc`, once; returns their name."""
    with _lock:
        return _ship_packages(sc)


def _ship_packages(sc: Any) -> str:
    name = _packages.get(sc)
    if name is None:
        folder = _folder(sc)
        archive = _named_copy(_zip_packages(folder), folder, "muster-python-{}.zip")
        sc.addPyFile(str(archive))
        name = _packages[sc] = archive.name
    return name


def _folder(sc: Any) -> Path:
    """The folder from which Spark serves an application's files as long as it lives. The same for
    every attempt, because Spark refuses a name that it knows from another folder.
    """
    folder = _folders.get(sc.applicationId)
    if folder is None:
        _remove_left_folders()
        folder = _folders[sc.applicationId] = Path(tempfile.mkdtemp(prefix=_PREFIX))
        # Locked until this process ends, however it ends, and under its name only then.
        _lock_file(folder / "owning", os.O_CREAT)
        (folder / "owning").rename(folder / _OWNED)
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _lock_file(path: Path, flags: int = 0) -> int:
    """Returns its descriptor; BlockingIOError if another process holds it."""
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | flags, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise
    return file


def _remove_left_folders() -> None:
    """Removes those of killed drivers, such as restarted notebooks."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # Somebody else's, or in use.
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
                continue
            file = _lock_file(folder / _OWNED)
            shutil.rmtree(folder, ignore_errors=True)
            os.close(file)


def _ship(sc: Any) -> Payload:
    folder = _folder(sc)
    program = _named_copy(program_path(), folder, "muster-{}")
    library = _named_copy(library_path(), folder, "libmuster_feed-{}.so")
    sc.addFile(str(program))
    sc.addFile(str(library))
    return Payload(program.name, library.name, _ship_packages(sc))


def _bytecode(source: Path, folder: Path) -> bytes:
    """The source compiled for this Python; other versions read the source itself."""
    target = folder / "bytecode"
    py_compile.compile(
        str(source),
        cfile=str(target),
        dfile=source.name,
        doraise=True,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )
    return target.read_bytes()


def _named_copy(source: Path, folder: Path, pattern: str) -> Path:
    digest = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    target = folder / pattern.format(digest)
    if not target.exists():
        part = folder / "part"  # Complete under its name, or not at all.
        shutil.copy2(source, part)
        part.replace(target)
    return target


def _zip_packages(folder: Path) -> Path:
    root = Path(muster.__file__).parent.parent
    path = folder / "packages.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in _NAMESPACES:
            archive.writestr(zipfile.ZipInfo(name, _ENTRY_TIME), b"")
        for package in _PACKAGES:
            for source in sorted((root / package).rglob("*.py")):
                entry = zipfile.ZipInfo(str(source.relative_to(root)), _ENTRY_TIME)
                archive.writestr(entry, source.read_bytes(), zipfile.ZIP_DEFLATED)
                # Compiled too, once and here: a zip takes no bytecode later.
                compiled = zipfile.ZipInfo(entry.filename + "c", entry.date_time)
                archive.writestr(compiled, _bytecode(source, folder), zipfile.ZIP_DEFLATED)
    return path
