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

    def test_knows_its_options(self):
        with self.assertRaises(SystemExit):
            gate.main(["--recrod"])
