"""test/costs.txt: how long each test took when it was last recorded, in seconds.

ctest starts the slow ones first, so that none is left alone at the end (cmake/programs.cmake reads
the file). Tests that take less than a second are not in it. `tools/test --record` rewrites it;
tests of pure code are recorded as they run in the gate, with the sanitizers.
"""

import pathlib

PATH = "test/costs.txt"
HEAD = "# Seconds that tests took, the slow ones first; written by tools/test --record.\n"


def text_of(seconds):
    rows = sorted(((round(took), name) for name, took in seconds.items() if round(took) > 0),
                  key=lambda row: (-row[0], row[1]))
    return HEAD + "".join(f"{name} {took}\n" for took, name in rows)


def read(root):
    path = pathlib.Path(root) / PATH
    rows = (line.split() for line in path.read_text().splitlines()) if path.exists() else ()
    return {row[0]: float(row[1]) for row in rows if row and row[0] != "#"}


def record(root, seconds):
    """Tests that did not run this time keep their recorded cost."""
    (pathlib.Path(root) / PATH).write_text(text_of({**read(root), **seconds}))
