"""The programs of the page that are kept are what their sources make."""

import pathlib
import subprocess

import harness

WEB = harness.REPOSITORY / "portal" / "web"


def programs(folder):
    return {path.name: path.read_text() for path in pathlib.Path(folder).glob("*.js")}


def test_a_fresh_build_gives_the_same(tmp_path):
    subprocess.run(["/usr/bin/tsc", "-p", WEB, "--outDir", tmp_path], check=True)
    assert programs(tmp_path) == programs(WEB / "built"), "run tools/web"
