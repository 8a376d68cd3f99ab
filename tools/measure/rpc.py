"""Hadoop's RPC: what a call costs the client, with a real NameNode on the same machine; and what
the checksums of HDFS cost."""

import json
import pathlib
import subprocess
import sys

from table import Row

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "hadoop"))

from artifacts import VERSIONS  # noqa: E402
from bed import Bed  # noqa: E402

ROOT = "0a012f"  # GetFileInfoRequestProto of "/".
UNDER_WAY = 64
SUMMED = 1 << 29


def rpc(folder, rounds, calls=20_000):
    """Calls getFileInfo again and again by `rpc_probe` of a build's folder; gives the rows."""
    probe = pathlib.Path(folder) / "rpc_probe"
    bed = Bed.start(VERSIONS[-1], "plain")
    try:
        ask_for(probe, bed, calls, UNDER_WAY)  # Java compiles what it runs often.
        many = [ask_for(probe, bed, calls, UNDER_WAY) for _ in range(rounds)]
        single = [ask_for(probe, bed, calls // 10, 1) for _ in range(rounds)]
    finally:
        bed.end()
    return [*rows_of(many, single), checksum_row(probe, rounds)]


def rows_of(many, single):
    told = "rpc_probe, getFileInfo of / at a NameNode of this machine"
    return [
        Row("rpc_per_core", f"Hadoop RPC: calls per second and core of the client, {UNDER_WAY} "
            "under way", "calls/s", [one["calls"] / one["cpu_seconds"] for one in many], told),
        Row("rpc_rate", f"Hadoop RPC: calls per second on one connection, {UNDER_WAY} under way",
            "calls/s", [one["calls"] / one["seconds"] for one in many], told),
        Row("rpc_single", "Hadoop RPC: one call after the other, each", "ms",
            [1000 * one["seconds"] / one["calls"] for one in single], told)]


def checksum_row(probe, rounds):
    row = Row("hdfs_checksums", "CRC-32C of chunks of 512 bytes, by instruction", "GB/s", [],
              "rpc_probe, checksums", peers={"by table": []})
    for _ in range(rounds):
        answer = answers(probe, {"do": "checksums", "bytes": SUMMED})
        if not answer["same"]:
            raise RuntimeError("the instruction and the table disagree")
        row.samples.append(answer["bytes"] / 1e9 / answer["cpu_seconds"])
        row.peers["by table"].append(answer["bytes"] / 1e9 / answer["cpu_seconds_by_table"])
    return row


def ask_for(probe, bed, calls, callers):
    """Returns calls, seconds and cpu_seconds of so many calls."""
    return answers(
        probe,
        {"do": "open", "servers": [f"localhost:{bed.port('nn1.rpc')}"], "user": "alice"},
        {"do": "rate", "method": "getFileInfo", "request": ROOT, "calls": calls,
         "callers": callers})


def answers(probe, *lines):
    """Tells the probe each line; returns its answer to the last."""
    done = subprocess.run([probe], input="".join(json.dumps(line) + "\n" for line in lines),
                          capture_output=True, text=True, timeout=300, check=True)
    answer = json.loads(done.stdout.splitlines()[-1])
    if "error" in answer:
        raise RuntimeError(f"rpc_probe: {answer['error']}")
    return answer


if __name__ == "__main__":
    import table

    print(table.text_of(rpc(pathlib.Path(sys.argv[1]), 3)))
