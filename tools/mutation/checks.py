"""What may catch a mutant: single tests and seeds, each with the mutations that it can distinguish
from the original, and its cost."""

import concurrent.futures
import dataclasses
import os
import pathlib
import re
import resource
import subprocess
import tempfile
import time

import building

# Programs and the modules whose mutants they may catch, the quickest first. These seeds of the
# simulators are run one by one; further ones are only used on mutants that survive these.
TESTS = ["job_test", "testing_test", "master_test", "agent_test"]
SEEDS = {"core_sim": (200, "core_seeds.txt", 2000), "full_sim": (60, "full_seeds.txt", 100)}
REAL = {"agent_test", "master_test"}  # With real processes and clocks: must be caught twice.
DIFFERS = 2

# The limits of a run, besides ten times what the checks take: processor seconds, and seconds.
PATIENCE = (10, 90)


@dataclasses.dataclass
class Check:
    program: str
    name: str
    seconds: float
    marks: bytes

    def tells(self, number):
        return bool(self.marks[number] & DIFFERS)


def environment(**settings):
    return {**os.environ, "RC_PARAMS": "seed=7", "GTEST_COLOR": "no", **settings}


def limits(seconds):
    def limit():
        spent = int(PATIENCE[0] + 10 * seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (spent, spent + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # A mutant that keeps allocating memory must not take it from everybody else.
        resource.setrlimit(resource.RLIMIT_DATA, (2 << 30, 2 << 30))
        os.setsid()
    return limit


def trace(programs, size, jobs):
    """Returns the checks of the programs {name: path}, with what each test and seed of the
    unchanged program reaches. Tests that fail or are skipped here cannot catch anything."""
    work = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for name, path in programs.items():
            if name in SEEDS:
                some, file, _ = SEEDS[name]
                replayed = [int(line.split()[0]) for line in
                            (building.ROOT / "test/replay" / file).read_text().splitlines()
                            if line and not line.startswith("#")]
                work += [pool.submit(trace_seed, name, path, seed, size)
                         for seed in [*range(1, some + 1), *replayed]]
            else:
                work.append(pool.submit(trace_tests, name, path, size))
        return [check for each in work for check in each.result()]


def trace_seed(name, path, seed, size):
    with tempfile.NamedTemporaryFile() as file:
        file.truncate(size)
        before = time.monotonic()
        done = subprocess.run([path, "--seeds", str(seed), "--brief"], capture_output=True,
                              env=environment(MUTANT_TRACE=file.name), check=False)
        if done.returncode != 0:
            raise building.BuildError(f"{name} fails unchanged: {done.stdout.decode()}")
        return [Check(name, str(seed), time.monotonic() - before,
                      pathlib.Path(file.name).read_bytes())]


def trace_tests(name, path, size):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "trace"
        file.write_bytes(bytes(size))
        subprocess.run([path, "--gtest_brief=1"], capture_output=True, check=False,
                       env=environment(MUTANT_TRACE=str(file)))
        marks = pathlib.Path(f"{file}.marks").read_bytes()
        checks = []
        for index, line in enumerate(pathlib.Path(f"{file}.tests").read_text().splitlines()):
            test, milliseconds = line.split("\t")
            checks.append(Check(name, test, int(milliseconds) / 1000 + 0.001,
                                marks[index * size:(index + 1) * size]))
        return checks


class Judge:
    """Runs mutants."""

    def __init__(self, programs, checks):
        self.programs = programs
        self.checks = sorted(checks, key=lambda check: check.seconds)

    def reached(self, numbers):
        """The mutations that any test reaches."""
        marked = [False] * (max(numbers, default=0) + 1)
        for check in self.checks:
            for number in numbers:
                if check.marks[number]:
                    marked[number] = True
        return {number for number in numbers if marked[number]}

    def judge(self, number):
        """Returns (who caught it, the output); (None, why nobody could) if it survives."""
        telling = [check for check in self.checks if check.tells(number)]
        if not telling:
            reached = any(check.marks[number] for check in self.checks)
            return None, "no test tells it from the original" if reached else "no test reaches it"
        runs = {}
        for check in telling:
            runs.setdefault(check.program, []).append(check)
        for name, chosen in sorted(runs.items(), key=lambda item: cost(item[1][:40])):
            for some in (chosen[:40], chosen[40:]):
                if some and (said := self.caught(name, some, number)):
                    return name, said
        for name in runs:
            if name in SEEDS and (said := self.more_seeds(name, number)):
                return name, said
        return None, f"{len(telling)} checks pass with it"

    def caught(self, name, checks, number):
        if name in SEEDS:
            with tempfile.NamedTemporaryFile("w") as file:
                file.write("".join(f"{check.name}\n" for check in checks))
                file.flush()
                return self.run(name, ["--replay", file.name, "--brief"], checks, number)
        words = ["--gtest_filter=" + ":".join(check.name for check in checks),
                 "--gtest_fail_fast", "--gtest_brief=1"]
        said = self.run(name, words, checks, number)
        return said and (said if name not in REAL else self.run(name, words, checks, number))

    def more_seeds(self, name, number):
        first, _, last = SEEDS[name]
        average = [check.seconds for check in self.checks if check.program == name]
        whole = Check(name, "", (last - first) * sum(average) / len(average), b"")
        return self.run(name, ["--seeds", f"{first + 1}..{last}", "--brief"], [whole], number)

    def run(self, name, words, checks, number):
        """Returns the output if the program fails, else None."""
        seconds = cost(checks)
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                [self.programs[name], *words], stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, env=environment(MUTANT=str(number)),
                preexec_fn=limits(seconds))
            try:
                status = process.wait(PATIENCE[1] + 10 * seconds)
            except subprocess.TimeoutExpired:
                status = "does not end"
            finally:
                end_group(process)
            if status == 0:
                return None
            output.seek(0)
            text = output.read(1 << 20).decode(errors="replace")
        said = re.search(r"seed \d+ failed: .*|\[  FAILED  \] \S+|CHECK failed.*", text)
        return said[0] if said else f"exit status {status}"


def end_group(process):
    """Ends a mutant with the children that it may have left behind."""
    try:
        os.killpg(process.pid, 9)
    except ProcessLookupError:
        pass
    process.wait()


def cost(checks):
    return sum(check.seconds for check in checks)
