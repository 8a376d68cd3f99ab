#!/usr/bin/python3 -B
"""Writes one source file that holds many test files, to be compiled in one go.

usage: batch_tests.py ROOT BATCH FILE...   (the files by their paths below ROOT)

Reading headers is most of what a test takes to compile. Helpers of different test files often have
the same name, each in an unnamed namespace; here every file's has a name instead. Errors and
failures name the test files as they are.
"""

import pathlib
import re
import sys


def main(root, batch, *names):
    parts = []
    for number, name in enumerate(names):
        text = (pathlib.Path(root) / name).read_text()
        named = re.sub(r"^namespace \{$", f"namespace file_{number} {{", text, flags=re.MULTILINE)
        parts.append(f'#line 1 "{name}"\n{named}')
    pathlib.Path(batch).write_text("".join(parts))


if __name__ == "__main__":
    main(*sys.argv[1:])
