import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

TOOLS = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(TOOLS))
import quick_python  # noqa: E402  (tools)

MODULE = "def fail():\n    raise ValueError('told')\n"


class QuickPythonTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.archive = pathlib.Path(folder.name) / "modules.zip"
        with zipfile.ZipFile(self.archive, "w") as archive:
            archive.writestr("package/__init__.py", "")
            archive.writestr("package/module.py", MODULE)
            archive.writestr("package/tests/test_module.py", "assert False")
            archive.writestr("package/data.txt", "as it was")
        quick_python.add_compiled(self.archive)

    def run_python(self, program, zone="UTC"):
        return subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True,
                              env={"PYTHONPATH": str(self.archive), "TZ": zone}, check=False)

    def test_keeps_what_was_there_and_leaves_nothing_else_behind(self):
        with zipfile.ZipFile(self.archive) as archive:
            self.assertEqual(archive.read("package/data.txt"), b"as it was")
            self.assertEqual(archive.read("package/module.py").decode(), MODULE)
            self.assertNotIn("package/tests/test_module.pyc", archive.namelist())
        self.assertEqual(list(self.archive.parent.iterdir()), [self.archive])

    def test_python_takes_what_is_compiled_in_every_zone(self):
        for zone in ("UTC", "Asia/Tokyo"):
            ran = self.run_python("import package.module; print(package.module.__file__)", zone)
            self.assertEqual(ran.stdout, f"{self.archive}/package/module.pyc\n", ran.stderr)

    def test_tracebacks_show_the_source(self):
        ran = self.run_python("import traceback, package.module\n"
                              "try:\n  package.module.fail()\n"
                              "except ValueError:\n  traceback.print_exc()")
        self.assertIn(f'File "{self.archive}/package/module.py", line 2, in fail\n'
                      "    raise ValueError('told')\n", ran.stderr)


if __name__ == "__main__":
    unittest.main()
