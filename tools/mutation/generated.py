"""The mutants that nobody chose: drawn by seed from all mutations of the modules' sources."""

import concurrent.futures
import json
import random
import sys

import building
import catalogue
import checks
import equivalents
import report

RESULT = building.BUILD / "generated.json"
PROGRESS = building.BUILD / "progress.json"


def say(text):
    print(text, file=sys.stderr, flush=True)


def programs_of(release, archives):
    """Links everything that may catch a mutant."""
    listener = building.BUILD / "listener.o"
    gtest = ["clang++-19", "-std=c++23", "-O1", "-include", str(catalogue.HERE / "switch.h"), "-c",
             str(catalogue.HERE / "listener.cc"), "-o", str(listener)]
    building.must(gtest)
    linked = {}
    for name in release.links:
        objects = [] if name in checks.SEEDS else [listener]
        linked[name] = release.link(name, archives, building.BUILD / name, objects)
    return linked


def drawn(mutations, count, seed):
    """Draws from the numbers of all mutations, each equally likely, in random order, so that the
    first hundred are themselves a draw of a hundred."""
    numbers = sorted(mutations)
    return random.Random(seed).sample(numbers, min(count, len(numbers)))


def survivors_of_last_run():
    """The survivors of the last run, if the sources were the same: [(file, line's text,
    becomes)]."""
    return {tuple(row) for row in json.loads(RESULT.read_text())["survivors"]}


def key(name, data, mutation):
    changed = report.rewriting.mutated(data, mutation)
    return (name, mutation.start, equivalents.line_of(data, mutation.start),
            equivalents.line_of(changed, mutation.start))


def run(count, seed, modules, again):
    """Returns (how many were judged, how many of them survive)."""
    release = building.Release([*checks.TESTS, *checks.SEEDS])
    say("looking for what can be mutated")
    found = catalogue.Catalogue(release, modules)
    say(f"{len(found.mutations)} mutations in {len(found.sites)} files; compiling them together")
    programs = programs_of(release, found.build())
    unused = equivalents.unused_files()
    everything = {mutation.number: mutation for mutation in found.mutations
                  if mutation.number not in found.left_out and
                  found.files[mutation.number] not in unused}
    listed = equivalents.listed(equivalents.load(), found.sites)
    keys = {number: key(found.files[number], found.sites[found.files[number]].data, mutation)
            for number, mutation in everything.items()}
    if again:
        wanted = survivors_of_last_run()
        numbers = [number for number in sorted(everything) if keys[number] in wanted]
    else:
        numbers = drawn(everything, count, seed)
    say("looking which tests and seeds reach them")
    known = checks.trace(programs, len(found.mutations) + 1, catalogue.JOBS)
    judge = checks.Judge(programs, known)
    say(f"{len(known)} tests and seeds; running {len(numbers)} mutants")
    fates = judged(judge, [number for number in numbers if number not in listed])
    show(found, everything, fates)
    print("\n".join(report.table(fates, {number: found.files[number] for number in everything},
                                 judge.reached(list(everything)))))
    conclude(found, everything, numbers, fates, listed, seed, again)
    alive = [number for number, (who, _) in fates.items() if who is None]
    RESULT.write_text(json.dumps({"survivors": [keys[number] for number in alive]}))
    return len(fates), len(alive)


def judged(judge, numbers):
    fates = {}
    with concurrent.futures.ThreadPoolExecutor(catalogue.JOBS) as pool:
        for number, fate in zip(numbers, pool.map(judge.judge, numbers), strict=True):
            fates[number] = fate
            if len(fates) % 25 == 0:
                caught = sum(who is not None for who, _ in fates.values())
                say(f"{len(fates)} of {len(numbers)}, {caught} caught")
                PROGRESS.write_text(json.dumps(fates))
    return fates


def show(found, everything, fates):
    for number, (who, why) in sorted(fates.items()):
        if who is None:
            name = found.files[number]
            print(report.survivor(name, found.sites[name].data, everything[number], why))


def conclude(found, everything, numbers, fates, listed, seed, again):
    same = [number for number in numbers if number in listed]
    caught = sum(who is not None for who, _ in fates.values())
    how = "survivors of the last run" if again else f"drawn by seed {seed}"
    print(f"caught by {report.catchers(fates) or 'nobody'}; {len(same)} equivalent (listed); "
          f"{len(found.left_out)} of {len(found.mutations)} mutations do not compile")
    print(f"{len(numbers)} mutants {how} of {len(everything)}, {len(fates)} judged, "
          f"{caught} caught ({caught / max(1, len(fates)):.1%})")
