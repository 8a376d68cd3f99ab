"""Where a bed is put: in a folder on a file system with room.

Hadoop's daemons take no work if little room is available: DataNodes store no blocks, NodeManagers
start no containers, and each test fails with a timeout and a different reason. The room offered can
be less than what the account may write (a reserve, a quota of the machine's owner). So a bed goes
into memory if the disk offers too little, and is refused if memory offers too little as well.
"""

import os
import pathlib
import tempfile

from control import BedError

GIB = 1 << 30
# Four times the most that the tests of one bed were seen to store at once.
NEEDED = 3 * GIB
MEMORY = pathlib.Path("/dev/shm")


def make_folder(prefix):
    """Makes an empty folder on the first file system that has room; raises BedError."""
    places = [pathlib.Path(tempfile.gettempdir()), MEMORY]
    for place in places:
        if room_in(place) >= NEEDED:
            return pathlib.Path(tempfile.mkdtemp(prefix=prefix, dir=place))
    seen = ", ".join(f"{place} has {room_in(place) / GIB:.1f}" for place in places)
    raise BedError(f"no room for a bed, which wants {NEEDED // GIB} GiB: {seen}; "
                   "make room, or let TMPDIR name a folder on another disk")


def room_in(place):
    """Returns the bytes that programs are told they can store there; none if programs may not be
    executed there, since containers start what is stored there."""
    try:
        status = os.statvfs(place)
    except OSError:
        return 0
    if status.f_flag & os.ST_NOEXEC:
        return 0
    offered = status.f_bavail * status.f_frsize
    return min(offered, available_memory() // 2) if place == MEMORY else offered


def available_memory():
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return 0
