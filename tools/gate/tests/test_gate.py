import contextlib
import io
import pathlib
import tempfile
import unittest
from unittest import mock

import ctests

import gate


class GateTest(unittest.TestCase):
    def test_tells_what_runs_failed_tests_again(self):
        self.assertEqual(gate.again(["a.b"]), "ctest --preset release -R '^(a[.]b)$'")
        self.assertEqual(gate.again(["a", "asan:b"]),
                         "ctest --preset release -R '^(a)$'; ctest --preset asan -R '^(b)$'")

    def test_configures_what_is_older_than_the_presets(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(
                gate, "ROOT", pathlib.Path(folder)):
            (gate.ROOT / "CMakePresets.json").touch()
            commands = gate.commands_of("asan", "one", "two")
            self.assertEqual(commands[0], ["cmake", "--preset", "asan"])
            self.assertEqual(commands[1][3:7], ["asan", "--target", "one", "two"])

    def test_no_test_at_all_is_a_failure(self):
        with mock.patch.object(gate.subprocess, "Popen"), mock.patch.object(
                ctests.Suite, "run", return_value=ctests.Outcomes()), contextlib.redirect_stdout(
                io.StringIO()) as said:
            found = gate.Gate()
            found.tested("release", ["locla"])
        self.assertEqual(found.summary.failures, 1)
        self.assertIn("no test of release has a label of: locla", said.getvalue())

    def test_a_whole_run_tells_what_all_tests_took(self):
        took = {"release": {"local.run": 5.0}, "asan": {"unit.job": 2.0}}
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            for owner, name, value in (
                    (gate.subprocess, "Popen", None), (gate.trees, "Tree", None),
                    (gate.green, "snapshot", None), (gate.green, "record", None),
                    (gate.background, "start", None), (gate.background.Work, "finish", True),
                    (gate.Gate, "awaited", {"sim.seeds": 9.0}),
                    (gate.Gate, "linted", None), (gate.Gate, "built", True)):
                stack.enter_context(mock.patch.object(owner, name, return_value=value))
            stack.enter_context(mock.patch.object(
                gate.Gate, "tested", lambda self, preset, *labels, **without: took[preset]))
            self.assertEqual(gate.Gate().whole(),
                             {"local.run": 5.0, "unit.job": 2.0, "sim.seeds": 9.0})

    def test_tests_beside_the_others_count(self):
        for outcomes, failures in ((ctests.Outcomes(passed=["a"]), 0),
                                   (ctests.Outcomes(failed=["a"], passed=["b"]), 1),
                                   (ctests.Outcomes(), 1), (None, 1)):
            with mock.patch.object(gate.subprocess, "Popen"), contextlib.redirect_stdout(
                    io.StringIO()):
                found = gate.Gate()
                tests = mock.Mock(arguments=(("sim",), "asan:"), outcomes=outcomes)
                tests.suite.seconds = {"a": 3.0}
                self.assertEqual(found.awaited(tests), {"a": 3.0})
            self.assertEqual(found.summary.failures, failures)

    def test_knows_its_options(self):
        with self.assertRaises(SystemExit):
            gate.main(["--recrod"])
