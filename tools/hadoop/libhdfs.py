"""Hadoop's libhdfs, with which programs not written in Java read hdfs://: compiled once, in the
cache.

Hadoop's artifacts contain none of its native libraries. The sources of this one are in the source
distribution of a Python package, which libhdfs.txt pins by version and hash; nothing else in it is
used, and none of it is in this repository.
"""

import pathlib
import shutil
import subprocess
import tarfile
import tempfile

import artifacts

HERE = pathlib.Path(__file__).resolve().parent
PINNED = HERE / "libhdfs.txt"
COMPILE = ["clang-19", "-O1", "-w", "-shared", "-fPIC"]


def folder():
    made_of = PINNED.read_bytes(), " ".join([*COMPILE, str(artifacts.java_home())]).encode()
    return artifacts.cache_folder() / f"libhdfs-{artifacts.digest(*made_of)}"


def fetch():
    """Returns the folder that contains libhdfs.so; builds that, which needs a network, if it is not
    there yet."""
    library = folder() / "libhdfs.so"
    if not library.exists():
        folder().mkdir(parents=True, exist_ok=True)
        with artifacts.locked(folder() / "lock", "libhdfs"):
            if not library.exists():
                artifacts.say("fetching the sources of libhdfs (1 MB) and compiling them")
                make(library)
    return folder()


def make(library):
    with tempfile.TemporaryDirectory(dir=library.parent) as work:
        work = pathlib.Path(work)
        download(work)
        (package,) = work.glob("*.tar.gz")
        with tarfile.open(package) as archive:
            archive.extractall(work, [one for one in archive if "/src/libhdfs/" in one.name])
        (sources,) = work.glob("*/src/libhdfs")
        compile_all(sources, work / library.name)
        (work / library.name).rename(library)


def download(work):
    done = run([HERE.parent / "setup_python", "test"])
    python = pathlib.Path(done.strip()) / "bin" / "python3"
    run([python, "-m", "pip", "--disable-pip-version-check", "--no-input", "download", "--quiet",
         "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--require-hashes",
         "--requirement", PINNED, "--dest", work])


def compile_all(sources, library):
    java = artifacts.java_home()
    if not (java / "include" / "jni.h").exists():
        raise artifacts.ArtifactError(f"{java} has no jni.h; run: tools/setup hadoop")
    if not shutil.which(COMPILE[0]):
        raise artifacts.ArtifactError(f"{COMPILE[0]} is missing; run: tools/setup build")
    files = [one for part in (".", "common", "os/posix") for one in (sources / part).glob("*.c")]
    folders = (sources, sources / "include", sources / "os" / "posix", java / "include",
               java / "include" / "linux")
    run([*COMPILE, *(f"-I{one}" for one in folders), "-o", library, *sorted(files),
         f"-L{java}/lib/server", "-ljvm"])


def run(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise artifacts.ArtifactError(f"libhdfs cannot be made; {command[0]} said:\n"
                                      f"{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout
