import contextlib
import io
import os
import pathlib
import tempfile
import time
import unittest
from unittest import mock

import ctests

ONCE = """set -- {marks}/$0; if [ -e "$1" ]; then exit 0; fi; touch "$1"; exit 1"""


class SuiteTest(unittest.TestCase):
    """With the real ctest, on tests that are small shell commands."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.lines = []
        quiet = contextlib.redirect_stdout(io.StringIO())
        quiet.__enter__()
        self.addCleanup(quiet.__exit__, None, None, None)

    def add(self, name, command, label="local", **properties):
        properties = {"LABELS": label, **properties}
        self.lines.append(f'add_test([=[{name}]=] "sh" "-c" [=[{command}]=] [=[{name}]=])')
        self.lines.append(f"set_tests_properties([=[{name}]=] PROPERTIES " + " ".join(
            f"{key} [=[{value}]=]" for key, value in properties.items()) + ")")

    def suite(self, seconds=60):
        (self.folder / "CTestTestfile.cmake").write_text("\n".join(self.lines) + "\n")
        return ctests.Suite(self.folder, ["--test-dir", str(self.folder), "--quiet"],
                            time.time() + seconds)

    def test_each_test_is_in_one_list(self):
        self.add("good", "true")
        self.add("bad", "false")
        self.add("flaky.1", ONCE.format(marks=self.folder))
        found = self.suite().run()
        self.assertEqual(found, ctests.Outcomes(["good"], ["bad"], ["flaky.1"], []))

    def test_pure_code_has_no_second_try(self):
        for label in ("unit", "sim;program"):
            self.lines.clear()
            self.add(f"flaky.{label[:3]}", ONCE.format(marks=self.folder), label=label)
            self.assertEqual(self.suite().run(), ctests.Outcomes(failed=[f"flaky.{label[:3]}"]))

    def test_many_failures_are_no_accident(self):
        for number in range(ctests.REPEATED_AT_MOST + 1):
            self.add(f"flaky{number}", ONCE.format(marks=self.folder))
        self.assertEqual(len(self.suite().run().failed), ctests.REPEATED_AT_MOST + 1)

    def test_what_never_began_is_told(self):
        for name in ("a", "b", "c", "d"):
            self.add(name, "sleep 30")
        started = time.monotonic()
        found = self.suite(seconds=3).run(prefix="x.")
        self.assertLess(time.monotonic() - started, 20)
        self.assertEqual(found.passed, [])
        # Tests that were running are ended, the others never begin; none is repeated.
        self.assertEqual(sorted(found.failed + found.unstarted), ["x.a", "x.b", "x.c", "x.d"])
        self.assertGreaterEqual(len(found.unstarted), 2)

    def test_what_a_failed_fixture_keeps_off_is_told(self):
        self.add("up", "false", FIXTURES_SETUP="bed")
        self.add("needs", "true", FIXTURES_REQUIRED="bed")
        found = self.suite().run()
        self.assertEqual((found.failed, found.unstarted), (["up"], ["needs"]))

    def test_labels_choose(self):
        self.add("one", "true", label="local")
        self.add("two", "true", label="web")
        suite = self.suite()
        self.assertEqual(suite.run(["web", "unit"]).passed, ["two"])
        self.assertEqual(set(suite.seconds), {"two"})

    def test_labels_keep_off(self):
        self.add("script", "true", label="unit")
        self.add("program", "true", label="unit;program")
        self.add("process", "true", label="local")
        suite = self.suite()
        self.assertEqual(suite.run(without=["program"]).passed, ["script", "process"])
        self.assertEqual(suite.run(["unit"], without=["program"]).passed, ["script"])
        self.assertEqual(suite.run(["unit"]).passed, ["script", "program"])


class StopTimeTest(unittest.TestCase):
    NOON = 1_700_049_600  # 12:00 UTC

    def at(self, zone, ends, now):
        with mock.patch.dict(os.environ, {"TZ": zone}):
            time.tzset()
            try:
                return ctests.stop_time(ends, now)
            finally:
                del os.environ["TZ"]
                time.tzset()

    def test_is_local_time_without_a_zone(self):
        ends = self.NOON + 90
        self.assertEqual(self.at("UTC", ends, self.NOON), "12:01:30")
        self.assertEqual(self.at("ZZZ-2", ends, self.NOON), "14:01:30")
        self.assertEqual(self.at("ZZZ+9", ends, self.NOON), "03:01:30")
        # ctest counts whole hours.
        self.assertEqual(self.at("IST-5:30", ends, self.NOON), "17:01:30")

    def test_goes_past_midnight(self):
        midnight = self.NOON + 12 * 3600
        self.assertEqual(self.at("UTC", midnight + 60, midnight - 60), "00:01:00")
        self.assertEqual(self.at("ZZZ-14", self.NOON + 60, self.NOON), "02:01:00")
        self.assertEqual(self.at("ZZZ+11", self.NOON - 3 * 3600, self.NOON - 4 * 3600), "22:00:00")

    def test_the_past_is_now(self):
        self.assertEqual(self.at("UTC", self.NOON - 60, self.NOON), "12:00:01")


class ExpressionTest(unittest.TestCase):
    def test_matches_names_alone(self):
        self.assertEqual(ctests.expression(["a.b", "c"]), "^(a[.]b|c)$")
