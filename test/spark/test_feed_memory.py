"""The feed where memory is short: smaller or on disk, with one warning; never a killed process."""

import subprocess
import sys

import pytest

SHORT_OF_MEMORY = """
import ctypes, logging, os, resource, struct, sys
logging.basicConfig(format="%(message)s")
from muster import feed

def refuse(call):  # As a kernel that has no such call.
    code = [(0x20, 0, 0, 0), (0x15, 0, 1, call), (0x06, 0, 0, 0x00050000 | 38),
            (0x06, 0, 0, 0x7FFF0000)]
    text = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in code))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(code), ctypes.addressof(text)))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    assert libc.prctl(22, 2, program, 0, 0) == 0, ctypes.get_errno()

if sys.argv[1] == "no-memfd":
    refuse({"x86_64": 319, "aarch64": 279}[os.uname().machine])
inbox = feed.Inbox(folder=sys.argv[2])
if sys.argv[1] != "no-memfd":
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
for _ in range(2):
    ring = inbox.add()
    producer = feed.Producer(*[os.dup(fd) for fd in inbox.descriptors(ring)])
    producer.put_rows([bytes([i]) * 100_000 for i in range(20)])
    rows = []
    while len(rows) < 20:
        received = inbox.receive(30)
        rows += received.block.rows()
        inbox.consumed(received)
    assert rows == [bytes([i]) * 100_000 for i in range(20)]
print("all read")
"""


def short_of_memory(how, folder):
    return subprocess.run([sys.executable, "-c", SHORT_OF_MEMORY, how, str(folder)],
                          capture_output=True, text=True, timeout=120)  # fmt: skip


@pytest.mark.parametrize(
    ("how", "where"), [("no-memfd", "16 MiB of a file"), (str(6 << 20), "4 MiB of memory")]
)
def test_too_little_memory_is_one_warning(how, where, tmp_path):
    done = short_of_memory(how, tmp_path)
    assert (done.returncode, done.stdout) == (0, "all read\n"), done.stderr
    assert done.stderr.count("too little memory left for the feed (16 MiB)") == 1
    assert f"uses {where} and is slower" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_no_room_at_all_is_told_with_numbers(tmp_path):
    done = short_of_memory(str(1 << 20), tmp_path)
    assert done.returncode == 1
    assert "NoSpaceError: cannot reserve 4" in done.stderr and str(tmp_path) in done.stderr
