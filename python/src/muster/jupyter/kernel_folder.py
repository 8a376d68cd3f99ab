"""The folder that kernels have their Unix sockets in. Sent along by those who start kernels, before
the program that needs it (provisioner.py, notebook_program.h): with nothing but the standard
library, for any Python from 3.7.
"""

import fcntl
import os
import shutil
import tempfile

PREFIX = "muster-kernels-"
SHORT = "/tmp"
ABOVE_MAX = 60  # Bytes: the address of a Unix socket has 108 at most.


def make_kernel_folder():
    """Makes a folder that only this user may enter, and removes those whose owners are gone.

    It is locked until this process ends, however that happens: a folder of this user's that is not
    locked has lost its owner. The lock also keeps systemd's cleaning of /tmp away. If the file
    system cannot lock folders, none is removed.
    """
    for place in {tempfile.gettempdir(), SHORT}:
        remove_left_folders(place)
    above = tempfile.gettempdir()
    if len(os.fsencode(above)) > ABOVE_MAX:
        above = SHORT
    while True:
        folder = tempfile.mkdtemp(prefix=PREFIX, dir=above)  # 0700
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)  # Stays open.
        except FileNotFoundError:  # Somebody took it for abandoned.
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError:
            return folder
        if os.path.exists(folder):
            return folder
        os.close(lock)


def remove_left_folders(place):
    try:
        names = os.listdir(place)
    except OSError:
        return
    for name in names:
        if name.startswith(PREFIX):
            remove_if_left(os.path.join(place, name))


def remove_if_left(folder):
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        if os.fstat(lock).st_uid == os.getuid():
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    except OSError:  # It has its owner.
        pass
    finally:
        os.close(lock)
