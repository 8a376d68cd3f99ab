"""The reviewed lists of what is not judged: mutants that change nothing observable, and files that
the product does not run (equivalents.toml)."""

import pathlib
import tomllib

import rewriting

PATH = pathlib.Path(__file__).with_name("equivalents.toml")
ROOT = pathlib.Path(__file__).resolve().parents[2]


class UnknownError(Exception):
    """A row names a mutation that no longer exists."""


def load(path=PATH):
    """Returns rows of {file, line (its text), becomes (its mutated text), why}."""
    return tomllib.loads(path.read_text()).get("equivalent", [])


def unused_files(path=PATH, root=ROOT):
    """Returns {file: why} for the files that only tests run."""
    rows = tomllib.loads(path.read_text()).get("unused", [])
    gone = [row["file"] for row in rows if not (root / row["file"]).exists()]
    if gone:
        raise UnknownError(f"equivalents.toml: {gone[0]} is not there any more: remove its row")
    return {row["file"]: row["why"] for row in rows}


def listed(rows, sites):
    """Returns {number: why} for the mutations in {source: FileSites} that rows name."""
    found = {}
    wanted = {(row["file"], row["line"].strip(), row["becomes"].strip()): row["why"]
              for row in rows}
    unused = set(wanted)
    for name in {file for file, _, _ in wanted} & set(sites):
        data = sites[name].data
        for mutation in sites[name].mutations:
            key = (name, line_of(data, mutation.start),
                   line_of(rewriting.mutated(data, mutation), mutation.start))
            if key in wanted:
                found[mutation.number] = wanted[key]
                unused.discard(key)
    stale = [key for key in unused if key[0] in sites]
    if stale:
        raise UnknownError(f"equivalents.toml: {stale[0][0]} has no mutation that makes\n"
                           f"  {stale[0][1]}\ninto\n  {stale[0][2]}\nany more: remove its row")
    return found


def line_of(data, offset):
    start = data.rfind(b"\n", 0, offset) + 1
    end = data.find(b"\n", offset)
    return data[start:end if end >= 0 else len(data)].decode().strip()
