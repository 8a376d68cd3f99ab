"""Makes the programs of a virtual environment start sooner: run it by the environment's python.

- A program that imports TensorFlow makes many objects, and all stay. Python looks through the
  young ones for garbage at every 700th; here, at every 7,000th.
- Spark hands its Python processes its own modules in archives, pyspark.zip and py4j-*.zip, and each
  of them would compile these anew; here the archives hold them compiled, too.

tools/setup_python calls it before an environment counts as made, so that nobody reads an archive
that is written anew.
"""

import copy
import os
import py_compile
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

COLLECT_SELDOM = "import gc; gc.set_threshold(7000, 10, 10)\n"


def main():
    packages = Path(sysconfig.get_path("purelib"))
    (packages / "collect_seldom.pth").write_text(COLLECT_SELDOM)
    for archive in packages.glob("pyspark/python/lib/*.zip"):
        add_compiled(archive)


def add_compiled(archive):
    """Adds to each module of an archive what it compiles to, under the name by which Python looks
    for that first."""
    part = archive.with_suffix(f".{os.getpid()}")
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            name, content = entry.filename, old.read(entry)
            new.writestr(copy.copy(entry), content)
            if name.endswith(".py") and "/tests/" not in name:
                new.writestr(f"{name}c", compiled(content, f"{archive}/{name}"))
    part.replace(archive)


def compiled(source, path):
    """Returns the file that `path` compiles to. Nothing compares it with its source when it is
    loaded: the time of a file in an archive depends on the zone."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "module.py"
        file.write_bytes(source)
        py_compile.compile(str(file), f"{file}c", dfile=path, doraise=True,
                           invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
        return Path(f"{file}c").read_bytes()


if __name__ == "__main__":
    sys.exit(main())
