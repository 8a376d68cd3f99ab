import contextlib
import io
import pathlib
import tempfile
import time
import unittest

import background
import ctests


class BackgroundTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def job(self, name, *scripts):
        commands = [["sh", "-c", script] for script in scripts]
        return background.Job(commands, self.folder / "logs" / name)

    def finish(self, job, lines=0):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            good = job.finish(lines)
        return good, said.getvalue()

    def test_runs_all_at_the_lowest_priority(self):
        job = self.job("a", "echo first", "nice")
        background.start(self.folder, [job])
        self.assertEqual(self.finish(job, 1), (True, "19\n"))
        self.assertEqual(self.finish(job), (True, ""))

    def test_a_failure_is_told_and_the_next_job_runs(self):
        bad, good = self.job("a", "echo broken; exit 1", "echo never"), self.job("b", "pwd")
        background.start(self.folder, [bad, good])
        failed, said = self.finish(bad)
        self.assertFalse(failed)
        self.assertIn("broken\n", said)
        self.assertNotIn("== sh -c echo never", said)
        self.assertEqual(self.finish(good, 1), (True, f"{self.folder}\n"))

    def test_a_command_that_is_not_there_fails(self):
        job = background.Job([["no-such-program-here"]], self.folder / "log")
        background.start(self.folder, [job])
        self.assertFalse(self.finish(job)[0])

    def on_one(self, build, script):
        (self.folder / "CTestTestfile.cmake").write_text(
            f'add_test(one "sh" "-c" [=[{script}]=])\n'
            "set_tests_properties(one PROPERTIES LABELS sim)\n")
        suite = ctests.Suite(self.folder, ["--test-dir", str(self.folder), "--output-on-failure"],
                             time.time() + 60)
        return background.Tests(build, suite, ("sim",), "x:", log=self.folder / "tests.log")

    def test_tests_run_at_the_lowest_priority_once_they_are_built(self):
        build = self.job("a", f"touch {self.folder}/built")
        tests = self.on_one(build, f"test -e {self.folder}/built -a $(nice) = 19")
        background.start(self.folder, [tests])
        background.start(self.folder, [build])
        good, said = self.finish(tests, 20)
        self.assertTrue(good, said)
        self.assertIn("100% tests passed", said)
        self.assertEqual(tests.outcomes, ctests.Outcomes(passed=["x:one"]))
        self.assertEqual(set(tests.suite.seconds), {"one"})

    def test_a_test_that_fails_there_is_told(self):
        build = self.job("a", "true")
        tests = self.on_one(build, "echo this is why; false")
        background.start(self.folder, [build, tests])
        good, said = self.finish(tests)
        self.assertFalse(good)
        self.assertIn("this is why", said)
        self.assertEqual(tests.outcomes, ctests.Outcomes(failed=["x:one"]))

    def test_what_was_not_built_is_not_tested(self):
        build = self.job("a", "false")
        tests = self.on_one(build, "true")
        background.start(self.folder, [build, tests])
        self.assertFalse(self.finish(tests)[0])
        self.assertIsNone(tests.outcomes)
