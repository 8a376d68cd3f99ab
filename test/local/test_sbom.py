"""The bill of materials that the wheel carries."""

import json
import pathlib
import subprocess

import harness

ROOT = pathlib.Path(__file__).parents[2]


def test_every_library_is_in_the_bill_of_materials():
    """Each package that goes into the build, except those for tests and tools."""
    made = subprocess.run([ROOT / "tools" / "sbom", "cyclonedx"], capture_output=True, check=True)
    bill = json.loads(made.stdout)
    assert bill["bomFormat"] == "CycloneDX"
    told = {one["purl"].removeprefix("pkg:deb/debian/").split("@")[0] for one in bill["components"]}
    installed = (ROOT / "tools" / "setup.d" / "build.apt").read_text().split()
    tests_only = {"libbenchmark-dev", "libgmock-dev", "libgtest-dev", "librapidcheck-dev"}
    assert {name for name in installed if name.endswith("-dev")} - tests_only <= told


def test_the_program_lists_its_libraries():
    """A host scanner's question: does this program contain the fix to a library?"""
    rows = subprocess.run([ROOT / "tools" / "sbom", "table"], capture_output=True, text=True,
                          check=True).stdout.splitlines()
    expected = {name: version for name, version, *_ in (row.split("\t") for row in rows)}
    assert {"openssl", "zlib", "boost", "protobuf"} <= expected.keys()

    def told(*arguments):
        return subprocess.run([harness.BINARY, "version", *arguments], capture_output=True,
                              text=True, check=True).stdout

    number, *lines = told("--all").splitlines()
    assert number + "\n" == told()
    assert dict(line.split() for line in lines) == expected
    as_json = json.loads(told("--all", "--json"))
    assert as_json["libraries"] == expected
    assert number == f"muster {as_json.pop('version')}"
    assert "libraries" not in json.loads(told("--json"))
