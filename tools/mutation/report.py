"""What became of the mutants, in readable form."""

import collections
import difflib

import rewriting


def table(fates, files, reached):
    """`fates`: {number: (who, what)}; `files`: {number: source}, `reached`: the numbers that a test
    reaches, both for all mutants. Returns the lines of a table by file."""
    rows = collections.defaultdict(lambda: [0, 0, 0, 0])
    for number, name in files.items():
        rows[name][0] += 1
        rows[name][1] += number in reached
    for number, (who, _) in fates.items():
        rows[files[number]][2] += 1
        rows[files[number]][3] += who is not None
    width = max(map(len, rows), default=0)
    lines = [f"{'file':{width}}    all  reached  drawn  caught  survived"]
    for name, (every, some, drawn, caught) in sorted(rows.items()):
        lines.append(f"{name:{width}}  {every:5}  {some / every:7.0%}  {drawn:5}  {caught:6}  "
                     f"{drawn - caught or '':>8}".rstrip())
    return lines


def catchers(fates):
    counted = collections.Counter(who for who, _ in fates.values() if who)
    return ", ".join(f"{who} {count}" for who, count in counted.most_common())


def difference(name, data, mutation):
    """The mutant as a diff with one line of context."""
    before = data.decode().splitlines(keepends=True)
    after = rewriting.mutated(data, mutation).decode().splitlines(keepends=True)
    return "".join(list(difflib.unified_diff(before, after, name, name, n=1))[2:])


def survivor(name, data, mutation, why):
    inside = f" in {mutation.function}" if mutation.function else ""
    return (f"{mutation.number}  {name}:{mutation.line}{inside}: {mutation.kind}; {why}\n"
            f"{difference(name, data, mutation)}")
