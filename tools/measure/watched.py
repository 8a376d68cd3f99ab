"""What it costs a program that its memory is watched: page faults under Muster and by hand."""

import os

import peers
from table import Row

GIB = 1 << 30

# Holds GIB_HELD, then takes and gives back 64 MiB as often as it can.
PROGRAM = '''
import mmap, os, time
held = b"x" * int(float(os.environ["GIB_HELD"]) * (1 << 30))
page, size = mmap.PAGESIZE, 64 << 20
touched = bytes(size // page)
steps, started = 0, time.perf_counter()
while time.perf_counter() - started < float(os.environ["BENCH_SECONDS"]):
    with mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as chunk:
        chunk[::page] = touched
    steps += 1
with open(os.environ["BENCH_RESULT"], "w") as file:
    file.write(str(steps / (time.perf_counter() - started)))
'''


def watched(muster, rounds, folder, sizes=(1, 8, 16), seconds=10.0):
    """Rounds alternate between the two ways. What the machine cannot hold is left out."""
    program, result = folder / "faults.py", folder / "faults"
    program.write_text(PROGRAM)
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // GIB
    rows = []
    for size in sizes:
        if (size + 2) * GIB > free:
            continue
        extra = {"GIB_HELD": str(size), "BENCH_SECONDS": str(seconds),
                 "BENCH_RESULT": str(result)}
        # Two thirds of its limit, where tasks live, if the machine has as much.
        limit = f"{min(max(size * 3 // 2, size + 1), whole)}g"
        under = [muster.binary, "run", "-q", "--memory", limit, "--", peers.PYTHON, str(program)]
        ways = [("hand", [peers.PYTHON, str(program)], dict(os.environ, **extra)),
                ("muster", under, dict(muster.environment, **extra))]
        speeds = {"hand": [], "muster": []}
        for turn in range(rounds):
            for name, words, environment in ways if turn % 2 == 0 else reversed(ways):
                result.unlink(missing_ok=True)
                peers.seconds_for(words, environment)
                speeds[name].append(float(result.read_text()))
        shares = [100 * ours / theirs
                  for ours, theirs in zip(speeds["muster"], speeds["hand"], strict=True)]
        hand = speeds["hand"]
        noise = 100 * (max(hand) - min(hand)) / max(hand)
        rows.append(Row(
            f"watched_{size}", f"page faults beside {size} GiB of a limit of {limit}, in percent "
            "of the same by hand", "%", shares, f"muster run --memory {limit} -- python3 faults.py",
            limit=99, at_least=True,
            note=f"by hand {min(hand):.1f} to {max(hand):.1f} steps/s, which differ by "
            f"{noise:.1f} %"))
    return rows
