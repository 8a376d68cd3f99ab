import os
import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "setup_python"
PROGRAM = """
source "$1"
debian_pip() { [ "$*" = "config list" ] && printf '%s' "$SAID"; }
settings_of_pip
env
"""


# Makes an environment with nothing in it but what ships with Python.
EMPTY = """
source "$1"
find_uv() { :; }
settings_of_pip() { :; }
install() { :; }
build_venv "$2/venv" "$2/none.txt" "$3"
"""


class SetupPythonTest(unittest.TestCase):
    def settings(self, *said, **environment):
        """Returns uv's environment, given what pip prints about its settings."""
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("UV_", "PIP_", "SSL_", "ALL_"))}
        kept["SAID"] = "".join(f"{line}\n" for line in said)
        ran = subprocess.run(["bash", "-c", PROGRAM, "bash", TOOL], capture_output=True, text=True,
                             check=False, env={**kept, **environment})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return dict(line.split("=", 1) for line in ran.stdout.splitlines() if "=" in line)

    def test_uv_finds_what_pip_finds(self):
        found = self.settings(
            "global.cert='/etc/own.pem'", "global.index-url='https://one/simple?a=b'",
            r":env:.extra-index-url='\nhttps://two\nhttps://three'",
            "install.find-links='/wheels /more'", ":env:.default-timeout='180'")
        self.assertEqual(found["SSL_CERT_FILE"], "/etc/own.pem")
        self.assertEqual(found["UV_DEFAULT_INDEX"], "https://one/simple?a=b")
        self.assertEqual(found["UV_INDEX"].split(), ["https://two", "https://three"])
        self.assertEqual(found["UV_FIND_LINKS"], "/wheels,/more")
        self.assertEqual(found["UV_HTTP_TIMEOUT"], "180")

    def test_what_is_said_to_uv_itself_stays(self):
        found = self.settings("global.index-url='https://one'", UV_DEFAULT_INDEX="https://mine")
        self.assertEqual(found["UV_DEFAULT_INDEX"], "https://mine")

    def test_without_settings_uv_goes_by_its_own(self):
        found = self.settings()
        self.assertEqual([name for name in found if name.startswith("UV_") and "INDEX" in name],
                         ["UV_INDEX_STRATEGY"])

    def test_an_environment_without_its_modules_is_not_complete(self):
        for modules, status in (("json", 0), ("json, no_such_module", 1)):
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "none.txt").write_text("#: venv --system-site-packages\n")
                ran = subprocess.run(["bash", "-c", EMPTY, "bash", TOOL, folder, modules],
                                     capture_output=True, text=True, check=False)
                self.assertEqual(ran.returncode, status, ran.stderr)
                complete = pathlib.Path(folder) / "venv" / "complete"
                self.assertEqual(complete.exists(), status == 0)
                self.assertEqual("no_such_module" in ran.stderr, status == 1)


if __name__ == "__main__":
    unittest.main()
