"""The hand-picked mutants: sim/mutants/NAME.patch puts one bug into a copy of one source."""

import pathlib
import re
import shutil
import subprocess
import time

import building

FOLDER = building.ROOT / "sim" / "mutants"
PLACE = building.BUILD / "patched"
LIMIT = 300
SCENARIOS = ["testing_test", "--gtest_filter=Scenarios/*", "--gtest_brief=1"]


def chosen(names):
    """The patches with these names, or all."""
    known = {patch.stem: patch for patch in sorted(FOLDER.glob("*.patch"))}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise building.BuildError(f"there is no sim/mutants/{unknown[0]}.patch")
    return [known[name] for name in names or known]


def target_of(patch):
    """The source that a patch changes, or None."""
    match = re.search(r"^\+\+\+ b/(src/[\w/]+\.cc)", patch.read_text(), re.MULTILINE)
    return match and match[1]


def catchers(target, seeds):
    """The command lines, program first, one of which has to fail with a bug in the source."""
    module = pathlib.Path(target).parts[1]
    some = ["--seeds", f"1..{seeds}", "--brief"]
    unit_tests = [f"{module}_test", "--gtest_brief=1"]
    if module == "job":
        return [["core_sim", *some], SCENARIOS, unit_tests]
    return [["full_sim", *some], unit_tests]


def programs(patches, seeds):
    return sorted({command[0] for patch in patches
                   for command in catchers(target_of(patch) or "src/job/", seeds)})


def apply(patch, folder, *options):
    """Applies a patch to the sources in a folder, and only forwards: a patch that `patch --batch`
    would apply in reverse puts in no bug."""
    done = subprocess.run(["patch", "--force", "-F", "2", "-p1", *options, "-i", str(patch)],
                          cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise building.BuildError("the patch does not apply: " +
                                  done.stdout.strip().splitlines()[-1])


def patched_copy(patch, target):
    copy = PLACE / target
    shutil.rmtree(PLACE, ignore_errors=True)
    if not (building.ROOT / target).exists():
        raise building.BuildError(f"the patch changes {target}, which is not there any more")
    copy.parent.mkdir(parents=True)
    shutil.copy(building.ROOT / target, copy)
    apply(patch, PLACE)
    return copy


def mutant(release, patch, target):
    """Compiles the batch that the source is in; returns {module: library}."""
    module = pathlib.Path(target).parts[1]
    copy = patched_copy(patch, target)
    batch = next(each for each in release.batches(module) if target in each.sources)
    made = batch.compile({target: str(copy.relative_to(building.ROOT))}, PLACE / "objects")
    return {module: release.archive(module, {batch.name: made})}


def caught_by(path, command):
    """What the program says if it fails, else None."""
    try:
        done = subprocess.run([path, *command[1:]], capture_output=True, text=True, check=False,
                              timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return "does not end"
    if done.returncode == 0:
        return None
    said = re.search(r"seed \d+ failed: .*|\[  FAILED  \] \S+|CHECK failed.*",
                     done.stdout + done.stderr)
    return said[0] if said else f"exit status {done.returncode}"


def reason_of(error):
    """Why there is no mutant to judge: from a compiler's output, the first error."""
    said = re.search(r" error: (.*)", str(error))
    return f"does not compile: {said[1]}" if said else str(error)


def fate_of(release, patch, seeds):
    """Returns whether the mutant is caught, and by whom or why not."""
    target = target_of(patch)
    if target is None:
        return False, "the patch names no file src/*.cc"
    try:
        archives = mutant(release, patch, target)
        for command in catchers(target, seeds):
            path = release.link(command[0], archives, PLACE / command[0])
            if said := caught_by(path, command):
                return True, f"caught by {command[0]}, {said}"
    except building.BuildError as error:
        return False, reason_of(error)
    return False, "SURVIVES"


def run(names, seeds):
    """Prints a line for each mutant; returns how many survive."""
    patches = chosen(names)
    release = building.Release(programs(patches, seeds))
    commands = {tuple(command) for patch in patches
                for command in catchers(target_of(patch) or "src/job/", seeds)}
    for command in sorted(commands):
        if said := caught_by(building.RELEASE / command[0], list(command)):
            raise building.BuildError(f"the unchanged sources fail already: {command[0]}, {said}")
    alive = 0
    for patch in patches:
        started = time.monotonic()
        good, verdict = fate_of(release, patch, seeds)
        alive += not good
        print(f"{patch.stem:34} {time.monotonic() - started:4.1f} s  {verdict[:120]}", flush=True)
    print(f"{len(patches)} mutants, {len(patches) - alive} caught")
    return alive
