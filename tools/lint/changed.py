"""clang-tidy over what changed since the last run of all tests on this machine that passed.

If there is no record of one: over some of what the last commits changed, so that a fresh clone gets
a result within a minute. It prints what was checked and what was not; the check `tidy` covers
everything. A changed header is checked in its own source file, not in every file that includes it.
"""

import functools
import subprocess

import green
import tidy
from tree import counted

COMMITS, FILES = 10, 24


def check(tree):
    chosen, _ = choice(tree)
    return tidy.check(tree, only=set(chosen)) if chosen else []


def advice(tree):
    """Returns lines that say what was checked and what was not."""
    chosen, why = choice(tree)
    return [*(f"looked at: {name}" for name in chosen), *why]


@functools.cache
def choice(tree):
    """Returns the files to check, and lines that say why these and which were left out."""
    return choose(tree, green.read(), recent(tree.root))


def choose(tree, record, recent_paths):
    code = set(tree.cpp())
    if record:
        now = green.snapshot(tree)
        since = f"since the last run that passed here, {record['commit']} of {record['when']}"
        if now.get(".clang-tidy") != record["files"].get(".clang-tidy"):
            changed = sorted(code)
            since = f".clang-tidy and so every file has changed {since}"
        else:
            changed = sorted(name for name in code if now[name] != record["files"].get(name))
            since = f"{counted(len(changed), 'file')} changed {since}"
        left = []
    else:
        known = [name for name in recent_paths if name in code]
        changed, left = sorted(known[:FILES]), known[FILES:]
        looked = (f"{counted(len(changed), 'file')} of the last {COMMITS} commits" if known else
                  f"and the last {COMMITS} commits changed no C++ file")
        since = f"no run that passed is known on this machine{': ' if known else ', '}{looked}"
    chosen = sorted({source_of(name, code) for name in changed})
    return chosen, [
        *(f"NOT looked at, though changed: {name}" for name in left),
        f"clang-tidy: {since}; {len(code) - len(changed)} others were not looked at"
        " (tools/lint/run tidy)"]


def source_of(name, code):
    """Returns the source file in which a header is checked; the header itself if it has none."""
    own = name.removesuffix(".h") + ".cc"
    return own if name.endswith(".h") and own in code else name


def recent(root):
    """Returns the files that are not committed and those that the last commits changed, newest
    first."""
    found = []
    for command in (["diff", "--name-only", "HEAD"],
                    ["ls-files", "--others", "--exclude-standard"],
                    ["log", f"--max-count={COMMITS}", "--name-only", "--format="]):
        run = subprocess.run(["git", "-C", str(root), *command], capture_output=True, text=True,
                             check=False)
        found += run.stdout.splitlines() if run.returncode == 0 else []
    return list(dict.fromkeys(found))
