"""Headers without a source file of their own compile alone: those that changed, or that include
something that changed, since the last run of all tests on this machine that passed.

If there is no record of one: since the last commits. It prints what was checked and what was not.
`make lint` compiles every header alone (build); all other headers are compiled with the source file
that begins with them.
"""

import functools
import json
import re
import subprocess

import changed
import green
import tree as trees
from tree import counted

PRESET = "release"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
# Besides the folder of the file itself.
ROOTS = ("src/", "")


def check(tree):
    chosen, _ = choice(tree)
    wanted = objects(tree.root / "build" / PRESET, chosen)
    unknown = [trees.Finding(name, 1, f"is not in the build: cmake --preset {PRESET}")
               for name in chosen if name not in wanted]
    return unknown or (compiled(tree, wanted) if wanted else [])


def advice(tree):
    """Returns lines that say what was checked and what was not."""
    return [choice(tree)[1]]


@functools.cache
def choice(tree):
    """Returns the headers to compile, and a line that says why these."""
    return choose(tree, green.read(), changed.recent(tree.root))


def choose(tree, record, recent_paths):
    code = set(tree.cpp())
    if record:
        now = green.snapshot(tree)
        touched = {name for name in code if now[name] != record["files"].get(name)}
        since = f"the last run that passed here, {record['commit']} of {record['when']}"
    else:
        touched = code & set(recent_paths)
        since = f"the last {changed.COMMITS} commits: no run that passed is known on this machine"
    ownless = [name for name in sorted(code) if name.endswith(".h")
               and name.removesuffix(".h") + ".cc" not in code
               and name.startswith(("src/", "sim/", "testing/"))]
    chosen = [name for name in ownless if closure(tree, name, code) & touched]
    return chosen, (f"headers alone: {len(chosen)} of {counted(len(ownless), 'header')} without a "
                    f"source file, which changed or include what changed since {since}")


def closure(tree, name, code):
    """Returns the file and every project file that it includes, directly or indirectly."""
    found, todo = set(), [name]
    while todo:
        file = todo.pop()
        if file in found:
            continue
        found.add(file)
        own = file.rpartition("/")[0] + "/"
        todo += [root + include for include in INCLUDE.findall(tree.text(file))
                 for root in (own, *ROOTS) if root + include in code]
    return found


def objects(folder, headers):
    """Returns header -> ninja's name for its object file, for the headers that the build knows."""
    found = {}
    if not (folder / "compile_commands.json").exists():
        return found
    for entry in json.loads((folder / "compile_commands.json").read_text()):
        alone = entry["file"].removeprefix(f"{folder}/header_check/")
        if alone != entry["file"]:
            found[alone.removesuffix(".cc")] = re.search(r" -o (\S+)", entry["command"]).group(1)
    return {name: found[name.removeprefix("src/")] for name in headers
            if name.removeprefix("src/") in found}


def compiled(tree, wanted):
    command = ["cmake", "--build", "--preset", PRESET, "--target", *wanted.values(),
               "--", "-k", "10"]
    run = subprocess.run(command, cwd=tree.root, capture_output=True, text=True, check=False)
    if run.returncode == 0:
        return []
    print(run.stdout[-8000:] + run.stderr[-4000:])
    return failures(run.stdout, wanted)


def failures(said, wanted):
    """Returns a finding for each header that ninja reported as failed; if it named none, a single
    one."""
    failed = set(re.findall(r"FAILED: (\S+\.o)", said))
    return [trees.Finding(header, 1, "does not compile alone")
            for header, name in wanted.items() if name in failed] or [
        trees.Finding("CMakeLists.txt", 1, f"{counted(len(wanted), 'header')}: no build")]
