"""Runs the tests of one build with ctest, and reports the outcome of each."""

import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile
import time
import xml.etree.ElementTree

# Code without processes, sockets or clocks: a failure there is never an accident.
PURE = ("unit", "sim")
# The second label of those tests that are programs of our own.
PROGRAM = "program"
# More failures than this are no accident.
REPEATED_AT_MOST = 4


@dataclasses.dataclass
class Outcomes:
    """The outcome of the tests: every name is in exactly one of the four lists."""

    passed: list = dataclasses.field(default_factory=list)
    failed: list = dataclasses.field(default_factory=list)
    # Failed once, passed when repeated.
    unsteady: list = dataclasses.field(default_factory=list)
    # Never begun: time had run out, or something they need was missing.
    unstarted: list = dataclasses.field(default_factory=list)

    @property
    def clean(self):
        return not self.failed and not self.unsteady and not self.unstarted

    def __iadd__(self, other):
        for field in dataclasses.fields(self):
            getattr(self, field.name).extend(getattr(other, field.name))
        return self


class Suite:
    """The tests of a build. `chosen` holds the arguments that name it to ctest: a preset, or a
    folder.

    No test begins or continues after `ends`, a time in seconds since the epoch.
    """

    def __init__(self, root, chosen, ends, jobs=2):
        self.root = pathlib.Path(root)
        self.chosen = list(chosen)
        self.ends = ends
        self.jobs = jobs
        # What precedes ctest in its command, and where its output goes, if not to our own.
        self.before = ()
        self.log = None
        # Name -> seconds, for the tests that ran to their end and passed.
        self.seconds = {}

    def labels(self, *filters):
        """Returns the labels of each test that the filters choose, by the test's name."""
        command = ["ctest", *self.chosen, "--show-only=json-v1", *filters]
        run = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            return {}
        return {test["name"]: {value for entry in test.get("properties", [])
                               if entry["name"] == "LABELS" for value in entry["value"]}
                for test in json.loads(run.stdout)["tests"]}

    def run(self, labels=(), prefix="", without=()):
        """Runs the tests with one of the labels (all, if none is given) and none of those in
        `without`; repeats tests of real processes if only a few of them fail. Names in the outcomes
        are prefixed with `prefix`."""
        filters = ["-L", any_of(labels)] if labels else []
        filters += ["-LE", any_of(without)] if without else []
        expected = self.labels(*filters)
        states = self.once(filters)
        failed = [name for name in expected if states.get(name) == "fail"]
        unstarted = [name for name in expected if states.get(name) not in ("run", "fail")]
        again = failed + [name for name in unstarted if name in states]
        repaired = []
        if worth_repeating(again, expected) and time.time() < self.ends:
            print(f"== once more: {' '.join(again)}", file=self.log, flush=True)
            states = self.once(["-R", expression(again)])
            repaired = [name for name in again if states.get(name) == "run"]
        outcomes = Outcomes()
        for name in expected:
            kind = (outcomes.unsteady if name in repaired else
                    outcomes.failed if name in failed else
                    outcomes.unstarted if name in unstarted else outcomes.passed)
            kind.append(prefix + name)
        return outcomes

    def once(self, filters):
        """Runs tests; returns name -> "run", "fail", or "notrun" for those that could not begin.
        Tests that ctest did not get to are not in it."""
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.xml"
            subprocess.run([*self.before, "ctest", *self.chosen, "-j", str(self.jobs), *filters,
                            "--stop-time", stop_time(self.ends), "--output-junit", report],
                           cwd=self.root, stdout=self.log, check=False)
            states = {}
            for case in cases(report):
                states[case.get("name")] = case.get("status")
                if case.get("status") == "run":
                    self.seconds[case.get("name")] = float(case.get("time") or 0)
            return states


def cases(report):
    try:
        return xml.etree.ElementTree.parse(report).getroot().iter("testcase")
    except (OSError, xml.etree.ElementTree.ParseError):
        return []


def worth_repeating(failed, labels):
    """Tests of pure code get no second try; others do only if few of them failed."""
    return 0 < len(failed) <= REPEATED_AT_MOST and not any(
        labels[name] & set(PURE) for name in failed)


def expression(names):
    """Returns a regular expression of CMake that matches the names and nothing else."""
    return f"^({'|'.join(name.replace('.', '[.]').replace('+', '[+]') for name in names)})$"


def any_of(labels):
    """Returns a regular expression of CMake that matches the labels and nothing else."""
    return f"^({'|'.join(labels)})$"


def stop_time(ends, now=None):
    """Returns what ctest --stop-time takes for `ends`.

    ctest reads a time of day, today or tomorrow, and appends its own zone, in whole hours. Given a
    time that already has a zone, it fails to parse it, says nothing and never stops.
    """
    now = time.time() if now is None else now
    local, universal = time.localtime(now), time.gmtime(now)
    hours = local.tm_hour - universal.tm_hour + 24 * (
        (local.tm_year, local.tm_yday) > (universal.tm_year, universal.tm_yday)) - 24 * (
        (local.tm_year, local.tm_yday) < (universal.tm_year, universal.tm_yday))
    # A time that has already passed would be taken for tomorrow's.
    ends = max(ends, now + 1)
    return time.strftime("%H:%M:%S", time.gmtime(ends + hours * 3600))


def minutes(variable, default):
    """Returns, in seconds, the number of minutes that an environment variable gives."""
    return 60 * float(os.environ.get(variable) or default)
