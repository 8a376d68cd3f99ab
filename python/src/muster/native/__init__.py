"""The location of this package's program and feed library, and the command `muster`."""

from __future__ import annotations

import os
import sys
from pathlib import Path


class NotInstalledError(Exception):
    """The package came without its program or library, as in a checkout."""


def program_path() -> Path:
    """The muster binary: the installed package's, or the one that MUSTER_BINARY names."""
    return _path("MUSTER_BINARY", "muster", "program")


def library_path() -> Path:
    """The feed library: the installed package's, or the one that MUSTER_FEED_LIBRARY names."""
    return _path("MUSTER_FEED_LIBRARY", "libmuster_feed.so", "feed library")


def main() -> None:
    """The command `muster` of the installed package: replaces itself with the program."""
    try:
        program = program_path()
    except NotInstalledError as failure:
        sys.exit(f"muster: error: {failure}")
    os.execv(program, ["muster", *sys.argv[1:]])


def _path(variable: str, name: str, what: str) -> Path:
    named = os.environ.get(variable)
    path = Path(named) if named else Path(__file__).parent / name
    if not path.is_file():
        raise NotInstalledError(
            f"the {what} {path} is missing: install the wheel muster-ml, or let {variable} name "
            f"the {what} of your checkout"
        )
    return path.resolve()
