"""Makes the programs of a virtual environment start sooner: run it with the environment's python.

- A program that imports TensorFlow makes many objects, which all stay. Python searches the young
ones for garbage at every 700th; here, at every 7,000th. - Spark gives its Python processes its own
modules in archives, pyspark.zip and py4j-*.zip, and each process would compile these again; here
the archives also hold them compiled.

tools/setup_python calls it before an environment counts as complete, so that nobody reads an
archive while it is being rewritten.
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
    """Adds the compiled form of each module to an archive, under the name that Python looks for
    first."""
    part = archive.with_suffix(f".{os.getpid()}")
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            name, content = entry.filename, old.read(entry)
            new.writestr(copy.copy(entry), content)
            if name.endswith(".py") and "/tests/" not in name:
                new.writestr(f"{name}c", compiled(content, f"{archive}/{name}"))
    part.replace(archive)


def compiled(source, path):
    """Returns the file that `path` compiles to. It is not compared with its source when it is
    loaded, because the time of a file in an archive depends on the time zone."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "module.py"
        file.write_bytes(source)
        py_compile.compile(str(file), f"{file}c", dfile=path, doraise=True,
                           invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
        return Path(f"{file}c").read_bytes()


if __name__ == "__main__":
    sys.exit(main())
