#!/usr/bin/python3 -B
"""Lint, builds and tests, as tools/test describes. Arguments: labels, and --record."""

import os
import pathlib
import subprocess
import sys
import time

import background
import costs
import ctests
import summary

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "tools" / "lint"))
import green  # noqa: E402  (tools/lint)
import tree as trees  # noqa: E402

PRESET, SANITIZED = "release", "asan"
LOGS = ROOT / "build" / "gate"


def main(arguments):
    labels = [word for argument in arguments if not argument.startswith("-")
              for word in argument.split()]
    unknown = [option for option in arguments if option.startswith("-") and option != "--record"]
    if unknown:
        sys.exit(f"tools/test: no option `{unknown[0]}`; there is --record")
    gate = Gate()
    seconds = gate.labelled(labels) if labels else gate.whole()
    if "--record" in arguments:
        costs.record(ROOT, seconds)
    print("\n".join(gate.summary.lines(again)))
    return 1 if gate.summary.failures else 0


class Gate:
    def __init__(self):
        self.summary = summary.Summary()
        self.ends = time.time() + ctests.minutes("MUSTER_TEST_MINUTES", 80)
        self.jobs = int(os.environ.get("MUSTER_TEST_JOBS") or 3)
        # What only the tests need is fetched during the build.
        self.fetching = subprocess.Popen(["tools/setup", "hadoop", "python"], cwd=ROOT)

    def labelled(self, labels):
        return self.tested(PRESET, labels) if self.built("all") else {}

    def whole(self):
        tree = trees.Tree(ROOT)
        snapshot = green.snapshot(tree)
        self.linted("text", "--text")
        if not self.built("process_programs"):
            return {}
        self.linted("built", "symbols", "link", "binary", "unused")
        # Tests of real processes wait a lot: for daemons, for each other, for time to pass.
        sanitized = background.Job(commands_of(SANITIZED, "test_programs"), LOGS / "asan.log")
        simulated = background.Tests(sanitized, self.suite(SANITIZED, jobs=2), ("sim",),
                                     f"{SANITIZED}:", log=LOGS / "sim.log")
        headers = background.Job([["tools/lint/run", "headers"]], LOGS / "headers.log")
        tidied = background.Job([["tools/lint/run", "changed"]], LOGS / "changed.log")
        background.start(ROOT, [sanitized, simulated, headers, tidied])
        # Test programs are built once, with the sanitizers.
        seconds = self.tested(PRESET, without=[ctests.PROGRAM])
        if self.summary.step("build asan, beside the tests", again_of(sanitized),
                             sanitized.finish):
            # Only one ctest at a time may run in a build. Only these tests use virtual time, so it
            # does not matter to them if they wait for the others.
            seconds = {**seconds, **self.awaited(simulated),
                       **self.tested(SANITIZED, ("unit",), f"{SANITIZED}:")}
        self.summary.step("headers without a source file, beside the tests",
                          again_of(headers), lambda: headers.finish(10))
        self.summary.step("clang-tidy on what changed, beside the tests", again_of(tidied),
                          lambda: tidied.finish(1000))
        if self.summary.failures == 0:
            green.record(ROOT, snapshot)
        return seconds

    def built(self, target):
        commands = commands_of(PRESET, target)
        good = self.summary.step(
            f"build {PRESET}", joined(commands),
            lambda: all(succeeds(command) for command in commands))
        fetched = self.fetching.wait() == 0
        if not fetched:
            self.summary.step("fetch", "tools/setup hadoop python", lambda: False)
        return good and fetched

    def linted(self, title, *checks):
        command = ["tools/lint/run", *checks]
        self.summary.step(f"lint, {title}", " ".join(command), lambda: succeeds(command))

    def suite(self, preset, jobs):
        return ctests.Suite(ROOT, ["--preset", preset], self.ends, jobs)

    def tested(self, preset, labels=(), prefix="", without=()):
        print(f"== tests on {preset} {' '.join(labels)}", flush=True)
        suite = self.suite(preset, self.jobs)
        self.counted(preset, labels, suite.run(labels, prefix, without))
        return suite.seconds

    def awaited(self, tests):
        """Waits for tests that run in the background; prints their output."""
        labels = tests.arguments[0]
        print(f"== tests on {SANITIZED} {' '.join(labels)}, beside the others", flush=True)
        tests.finish(20)
        self.counted(SANITIZED, labels, tests.outcomes or ctests.Outcomes())
        return tests.suite.seconds

    def counted(self, preset, labels, outcomes):
        print(flush=True)
        if outcomes == ctests.Outcomes():
            self.summary.step(f"no test of {preset} has a label of: {' '.join(labels)}",
                              f"ctest --preset {preset} --print-labels", lambda: False)
        self.summary.tests(outcomes)


def commands_of(preset, *targets):
    """Returns the commands that build the targets of a preset."""
    ninja = ROOT / "build" / preset / "build.ninja"
    presets = ROOT / "CMakePresets.json"
    fresh = ninja.exists() and ninja.stat().st_mtime > presets.stat().st_mtime
    return [*([] if fresh else [["cmake", "--preset", preset]]),
            ["cmake", "--build", "--preset", preset, "--target", *targets, "--", "-k", "10"]]


def again(names):
    """Returns the command that runs the named tests again."""
    commands = []
    for preset, prefix in ((PRESET, ""), (SANITIZED, f"{SANITIZED}:")):
        own = [name.removeprefix(f"{SANITIZED}:") for name in names
               if name.startswith(f"{SANITIZED}:") == bool(prefix)]
        commands += [f"ctest --preset {preset} -R '{ctests.expression(own)}'"] if own else []
    return "; ".join(commands)


def again_of(job):
    return joined(job.commands)


def joined(commands):
    return " && ".join(" ".join(map(str, command)) for command in commands)


def succeeds(command):
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
