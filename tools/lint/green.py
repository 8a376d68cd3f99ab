"""The tree of the last run of all tests on this machine that passed, kept outside the tree."""

import hashlib
import json
import os
import pathlib
import subprocess
import time


def path(folder=None):
    home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(folder or pathlib.Path(home) / "muster" / "gate") / "green.json"


def snapshot(tree):
    """Returns path -> hash for everything clang-tidy's verdicts depend on: C++ files and its
    settings."""
    return {name: hashlib.sha256(tree.text(name).encode()).hexdigest()
            for name in [*tree.cpp(), *(name for name in tree.paths if name == ".clang-tidy")]}


def record(root, files, folder=None):
    at = path(folder)
    at.parent.mkdir(parents=True, exist_ok=True)
    run = subprocess.run(["git", "-C", str(root), "describe", "--always", "--dirty"],
                         capture_output=True, text=True, check=False)
    part = at.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps({"commit": run.stdout.strip(), "files": files,
                                "when": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())}))
    part.replace(at)


def read(folder=None):
    """Returns the record, or None if there is none that can be read."""
    try:
        found = json.loads(path(folder).read_text())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and {"commit", "files", "when"} <= set(found) else None
