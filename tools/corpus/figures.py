#!/usr/bin/env python3
"""Prints how well failures reported in issue trackers are classified (test/verdict/reports).

usage: tools/corpus/figures.py [--unseen-misses] [--binary PATH]

For both halves: correct classes, correct decisions and confidently wrong ones, in percent; for the
seen half also the confusion matrix and every miss. The figures are those of the unit test, which
must be built (build/release/verdict_test, else build/dev/verdict_test). --unseen-misses shows the
other half's too: whoever reads them must not write rules afterwards.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def find_binary():
    for preset in ("release", "dev"):
        path = ROOT / "build" / preset / "verdict_test"
        if path.exists():
            return path
    return sys.exit("tools/corpus/figures.py: verdict_test is not built")


def main():
    parser = argparse.ArgumentParser(prog="tools/corpus/figures.py",
                                     description=__doc__.split("\n")[0])
    parser.add_argument("--unseen-misses", action="store_true")
    parser.add_argument("--binary", type=pathlib.Path)
    options = parser.parse_args()
    binary = options.binary or find_binary()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([binary, "--gtest_filter=Reports.*"], capture_output=True, check=False,
                       env=dict(os.environ, TEST_TMPDIR=folder + "/"))
        names = ["figures.txt", "seen.txt"] + (["unseen.txt"] if options.unseen_misses else [])
        for name in names:
            path = pathlib.Path(folder) / name
            if not path.exists():
                sys.exit(f"tools/corpus/figures.py: {binary} wrote no {name}")
            print(path.read_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
