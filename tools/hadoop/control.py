"""Asks a bed's keeper; looks at processes."""

import contextlib
import json
import pathlib
import socket


class BedError(AssertionError):
    """The bed is not as it was asked for; the message includes what its daemons logged."""


def ask(folder, **request):
    """Asks the keeper; raises OSError if it is gone, BedError if it refuses."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(60)
        connection.connect(str(pathlib.Path(folder) / "control"))
        connection.sendall(json.dumps(request).encode() + b"\n")
        reply = json.loads(connection.makefile().readline() or '{"error": "the keeper has ended"}')
    if "error" in reply:
        raise BedError(f"the keeper of {folder}: {reply['error']} (asked: {request['do']})")
    return reply


def is_gone(pid):
    """Returns whether the process has ended; a zombie counts as ended."""
    return state_of(pid) in ("Z", None)


def state_of(pid):
    """Returns the kernel's letter for the state of a process, or None."""
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    return None
