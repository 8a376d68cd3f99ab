"""Packs the wheel, a zip archive with a list of its contents. First checks that what it packs runs
on the platforms that it names.

usage: pack.py --program FILE --library FILE [--dist FOLDER]
"""

import argparse
import base64
import hashlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "lint"))

import binary  # noqa: E402

TAG = "py3-none-manylinux2014_x86_64"
PACKAGES = ("muster", "tensorflowonspark", "com")
# What the wheel offers to others: the command, and the kernel provisioner that Jupyter looks up.
ENTRY_POINTS = """[console_scripts]
muster = muster.native:main

[jupyter_client.kernel_provisioners]
muster-provisioner = muster.jupyter:TaskProvisioner
"""
# The same files give the same wheel.
TIME = (2020, 1, 1, 0, 0, 0)


def version():
    """The project's version, from CMake."""
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(\s*muster\s+VERSION\s+([0-9.]+)", text)[1]


def check(program, library):
    """Refuses files that do not run on the hosts that the wheel names."""
    faults = binary.judge_segments(program, binary.segments(program))
    faults += binary.judge_old(library, binary.symbols(library), binary.PYTHON)
    if faults:
        sys.exit("\n".join(f"{fault.path}: {fault.message}" for fault in faults))


def metadata(number):
    """The wheel's METADATA."""
    lines = [
        "Metadata-Version: 2.1",
        "Name: muster-ml",
        f"Version: {number}",
        "Summary: Distributed machine-learning jobs on the clusters you already have",
        "License: Apache-2.0",
        "Requires-Python: >=3.10",
        "Requires-Dist: numpy",
        "Requires-Dist: pyarrow",
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / "python" / "README.md").read_text(),
    ]
    return "\n".join(lines)


class Archive:
    """A wheel being written, and its RECORD."""

    def __init__(self, path, info):
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self._info = info
        self._record = []

    def add(self, name, data, mode=0o644):
        """Adds a file."""
        entry = zipfile.ZipInfo(name, TIME)
        entry.external_attr = (0o100000 | mode) << 16
        self._zip.writestr(entry, data, zipfile.ZIP_DEFLATED)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self._record.append(f"{name},sha256={digest},{len(data)}")

    def close(self):
        """Writes the RECORD and closes."""
        name = f"{self._info}/RECORD"
        entry = zipfile.ZipInfo(name, TIME)
        entry.external_attr = 0o100644 << 16
        self._zip.writestr(entry, "\n".join([*self._record, f"{name},,"]) + "\n")
        self._zip.close()


def main():
    """Writes dist/muster_ml-*.whl, and removes older ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    options = parser.parse_args()
    check(options.program, options.library)
    number = version()
    options.dist.mkdir(exist_ok=True)
    for old in options.dist.glob("muster_ml-*.whl"):
        old.unlink()
    path = options.dist / f"muster_ml-{number}-{TAG}.whl"
    info = f"muster_ml-{number}.dist-info"
    archive = Archive(path, info)
    source = ROOT / "python" / "src"
    for package in PACKAGES:
        for file in sorted((source / package).rglob("*.py")):
            archive.add(str(file.relative_to(source)), file.read_bytes())
    archive.add("muster/native/muster", options.program.read_bytes(), 0o755)
    archive.add("muster/native/libmuster_feed.so", options.library.read_bytes(), 0o755)
    archive.add(f"{info}/entry_points.txt", ENTRY_POINTS.encode())
    archive.add(f"{info}/METADATA", metadata(number).encode())
    wheel = f"Wheel-Version: 1.0\nGenerator: muster\nRoot-Is-Purelib: false\nTag: {TAG}\n"
    archive.add(f"{info}/WHEEL", wheel.encode())
    bill = subprocess.run([ROOT / "tools" / "sbom", "cyclonedx"], capture_output=True, check=True)
    archive.add(f"{info}/sboms/muster.cdx.json", bill.stdout)
    archive.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
    archive.close()
    print(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


if __name__ == "__main__":
    main()
