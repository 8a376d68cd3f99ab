"""The bill of materials that the wheel carries."""

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).parents[2]


def test_every_library_is_in_the_bill_of_materials():
    """Each package that is built from, but for those of tests and tools."""
    made = subprocess.run([ROOT / "tools" / "sbom", "cyclonedx"], capture_output=True, check=True)
    bill = json.loads(made.stdout)
    assert bill["bomFormat"] == "CycloneDX"
    told = {one["purl"].removeprefix("pkg:deb/debian/").split("@")[0] for one in bill["components"]}
    installed = (ROOT / "tools" / "setup.d" / "build.apt").read_text().split()
    tests_only = {"libbenchmark-dev", "libgmock-dev", "libgtest-dev", "librapidcheck-dev"}
    assert {name for name in installed if name.endswith("-dev")} - tests_only <= told
