import contextlib
import io
import unittest

import ctests
import summary


def again(names):
    return f"ctest -R {ctests.expression(names)}"


class SummaryTest(unittest.TestCase):
    def setUp(self):
        self.now = 0
        self.summary = summary.Summary(clock=lambda: self.now)

    def lines(self, seconds=61, **outcomes):
        self.summary.tests(ctests.Outcomes(**outcomes))
        self.now += seconds
        return self.summary.lines(again)

    def step(self, good):
        with contextlib.redirect_stdout(io.StringIO()):
            return self.summary.step("lint", "tools/lint/run", lambda: good)

    def test_all_passed(self):
        self.assertTrue(self.step(True))
        self.assertEqual(self.lines(passed=["a", "b"]),
                         ["all tests passed in 1 min 1 s", "unsteady: 0", "2 passed, 0 failed"])

    def test_an_unsteady_test_has_not_passed(self):
        lines = self.lines(passed=["a"], unsteady=["b"])
        self.assertNotIn("all tests passed", " ".join(lines))
        self.assertRegex(lines[-2], "^unsteady: 1, .*: b$")
        self.assertEqual(lines[-1], "1 passed, 0 failed")
        self.assertEqual(self.summary.failures, 0)

    def test_a_test_that_never_started_has_failed(self):
        lines = self.lines(passed=["a"], failed=["b"], unstarted=["c.d"])
        self.assertEqual(lines[-1], "1 passed, 2 failed")
        self.assertIn("  ctest -R ^(b)$", lines)
        self.assertEqual(lines[lines.index("  never started:") + 1], "  ctest -R ^(c[.]d)$")

    def test_a_step_that_fails_counts(self):
        self.assertFalse(self.step(False))
        lines = self.lines(passed=["a"])
        self.assertIn("  tools/lint/run", lines)
        self.assertEqual(lines[-1], "1 passed, 1 failed")
