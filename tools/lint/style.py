"""clang-format leaves every C++ file unchanged, including the order of its includes."""

import concurrent.futures
import subprocess

import tree as trees

PROGRAM = "clang-format-19"


def check(tree):
    paths = tree.cpp()
    batches = [paths[at::2] for at in range(2)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        parts = pool.map(lambda batch: of_files(tree.root, batch), batches)
    return [finding for part in parts for finding in part]


def of_files(root, paths):
    if not paths:
        return []
    run = subprocess.run([PROGRAM, "--dry-run", *paths], cwd=root, capture_output=True, text=True,
                         check=False)
    found = {}
    for line in run.stderr.split("\n"):
        parts = line.split(":", 3)
        if len(parts) == 4 and "clang-format-violations" in line:
            found.setdefault(parts[0], int(parts[1]))
    if run.returncode != 0 and not found:
        return [trees.Finding(".clang-format", 1, run.stderr.strip())]
    return [trees.Finding(path, line, "is not formatted: run `make format`")
            for path, line in found.items()]
