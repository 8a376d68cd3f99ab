import contextlib
import io
import pathlib
import tempfile
import unittest

import background


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
