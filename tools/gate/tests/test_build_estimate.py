import pathlib
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "build_estimate"
NINJA = """
rule make
  command = touch $out
build one.o: make one.cc
build two.o: make two.cc
build other.o: make other.cc
build muster: make one.o two.o
"""


class BuildEstimateTest(unittest.TestCase):
    """`tools/build_estimate` on a small build of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.build = self.root / "build" / "release"
        self.build.mkdir(parents=True)
        (self.build / "build.ninja").write_text(NINJA)
        (self.root / "tools").mkdir()
        self.program = shutil.copy(PROGRAM, self.root / "tools")

    def said(self):
        return subprocess.run([self.program, "release", "muster"], capture_output=True, text=True,
                              check=True).stdout

    def test_counts_what_is_not_compiled_yet(self):
        self.assertRegex(self.said(), r"^2 files to compile on \d+ cores?: about \d+ min \d\d s ")
        (self.build / "one.o").touch()
        self.assertRegex(self.said(), r"^1 file to compile on ")

    def test_says_nothing_of_a_build_with_nothing_to_compile(self):
        for name in ("one.o", "two.o"):
            (self.build / name).touch()
        self.assertEqual(self.said(), "")
