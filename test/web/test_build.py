"""The page's stored programs are what their sources compile to."""

import hashlib
import pathlib
import subprocess

import harness

WEB = harness.REPOSITORY / "portal" / "web"
BUILT = WEB / "built"
FOREIGN = ("uplot.js", "uplot.css")


def programs(folder):
    return {path.name: path.read_text() for path in pathlib.Path(folder).glob("*.js")
            if path.name not in FOREIGN}


def test_a_fresh_build_gives_the_same(tmp_path):
    subprocess.run(["/usr/bin/tsc", "-p", WEB, "--outDir", tmp_path], check=True)
    assert programs(tmp_path) == programs(BUILT), "run tools/web"


def test_the_library_for_charts_is_the_one_that_was_fetched():
    kept = dict(reversed(line.split()) for line in
                (BUILT / "uplot.sha256").read_text().splitlines())
    assert sorted(kept) == sorted(FOREIGN)
    for name, digest in kept.items():
        assert hashlib.sha256((BUILT / name).read_bytes()).hexdigest() == digest, name
    version = (harness.REPOSITORY / "tools" / "web").read_text().split("UPLOT=")[1].split()[0]
    assert f"uPlot (v{version})" in (BUILT / "uplot.js").read_text()
