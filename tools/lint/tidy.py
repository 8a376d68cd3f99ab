"""clang-tidy over every C++ file of the release build, remembering what was clean.

Most of clang-tidy's time goes into the standard library's headers, over again for each file. So
files are checked in batches, each a translation unit that includes them all; files that do not go
together (the same name in two anonymous namespaces) show up as compiler errors and go into another
batch. A file is clean when it and every project header it includes, the flags and .clang-tidy are
byte for byte what they were when it last passed; then it is not looked at again.
"""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

import tree as trees

PROGRAM, COMPILER = "clang-tidy-19", "clang++-19"
BATCH, WORKERS = 16, 2
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
DIAGNOSTIC = re.compile(r"^(/?[^:\n]+):(\d+):\d+: (?:fatal )?(error|warning): (.*)$", re.MULTILINE)


def check(tree, build="build/release", only=None):
    """Checks every file, or those of the paths in `only`."""
    commands = tree.root / build / "compile_commands.json"
    if not commands.exists():
        return [trees.Finding(build, 1, "is not configured: cmake --preset release")]
    entries = [entry for batch in json.loads(commands.read_text())
               for entry in one_by_one(batch, tree.root, build)
               if is_ours(entry["file"], tree.root, build)]
    own = {pathlib.Path(entry["file"]): flags_of(entry) for entry in entries}
    flags, cache = all_flags(entries), Cache(tree.root, own)
    stale = [path for path in sorted(own) if path.exists() and not cache.knows(path)
             and (only is None or covers(only, os.path.relpath(path, tree.root), build))]
    size = min(BATCH, max(4, -(-len(stale) // WORKERS)))
    batches = [stale[at:at + size] for at in range(0, len(stale), size)]
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        parts = list(pool.map(lambda batch: of_batch(tree.root, cache, batch, flags), batches))
    return sorted({finding for part in parts for finding in part})


def one_by_one(entry, root, build):
    """Returns an entry for each of our files that are compiled together in one batch
    (cmake/batches), or else the entry itself."""
    file = pathlib.Path(entry["file"])
    if not os.path.relpath(file, root).startswith(f"{build}/batch/") or not file.exists():
        return [entry]
    names = [str(root / name) for name in INCLUDE.findall(file.read_text())]
    return [{**entry, "file": name, "command": entry["command"].replace(entry["file"], name)}
            for name in names]


def covers(only, path, build):
    """Returns whether `only` names the file, or the header that a one-line file of header_check
    stands for."""
    header = path.removeprefix(f"{build}/header_check/").removesuffix(".cc")
    return path in only or (header != path.removesuffix(".cc") and
                            bool({header, f"src/{header}"} & only))


def all_flags(entries):
    """Returns every flag that some file is compiled with, once: targets differ only in their search
    paths and in definitions that do not conflict."""
    return tuple(dict.fromkeys(flag for entry in entries for flag in flags_of(entry)))


def is_ours(path, root, build):
    """Our sources, and the one-line files of header_check, but no generated code."""
    relative = os.path.relpath(path, root)
    return relative.startswith((
        "src/", "sim/", "testing/", "fuzz/", "bench/", f"{build}/header_check/"))


def flags_of(entry):
    """Returns the command's arguments without the compiler, the file, the output, a precompiled
    header and the optimisation level."""
    words, kept, pair = shlex.split(entry["command"])[1:], [], ""
    for word in words:
        if pair:
            kept += [pair + word] if pair == "-isystem" else []
            pair = ""
        elif word in ("-o", "-isystem", "-Xclang"):
            pair = word
        elif word not in ("-c", entry["file"]) and not word.startswith(
                ("-Werror", "-Winvalid-pch", "-O", "/usr/bin/")):
            kept.append(word)
    return tuple(kept)


def of_batch(root, cache, paths, flags):
    """Checks `paths` together, or in as many parts as they need; returns the findings."""
    findings = []
    while paths:
        together, paths = compatible(paths, flags)
        found = tidy(root, together, flags)
        findings += found
        dirty = {finding.path for finding in found}
        sources = {os.path.relpath(path, root) for path in together}
        if dirty <= sources:
            for path in together:
                if os.path.relpath(path, root) not in dirty:
                    cache.remember(path)
    return findings


def compatible(paths, flags):
    """Splits `paths` into those that compile as one translation unit, and the others."""
    together, apart = list(paths), []
    while len(together) > 1:
        run = on_unit(together, [COMPILER, *flags, "-w", "-fsyntax-only", "-ferror-limit=0"])
        if run.returncode == 0:
            break
        wrong = {pathlib.Path(match.group(1)) for match in DIAGNOSTIC.finditer(run.stderr)
                 if match.group(3) == "error"}
        culprits = [path for path in together if path in wrong and path != together[0]]
        # Errors in a header, or in the first file alone: take the last file out and try again.
        culprits = culprits or [together[-1]]
        apart += culprits
        together = [path for path in together if path not in culprits]
    return together, apart


def on_unit(paths, command):
    """Runs `command` with a file that includes `paths` as its last word before any `--`."""
    with tempfile.NamedTemporaryFile("w", suffix=".cc") as unit:
        unit.write("".join(f'#include "{path}"  // NOLINT\n' for path in paths))
        unit.flush()
        at = command.index("--") if "--" in command else len(command)
        return subprocess.run([*command[:at], unit.name, *command[at:]], capture_output=True,
                              text=True, check=False)


def tidy(root, paths, flags):
    run = on_unit(paths, [PROGRAM, "--quiet", f"--config-file={root}/.clang-tidy", "--", *flags])
    return parse(root, run.stdout, run.returncode, run.stderr)


def parse(root, output, status, errors):
    """Returns the findings in our files. clang-tidy also reports, at the end of a unit, what it
    thinks of a library's header (a forward declaration that the library never needs)."""
    all_of_it = list(DIAGNOSTIC.finditer(output))
    findings = {
        trees.Finding(os.path.relpath(match.group(1), root), int(match.group(2)), match.group(4))
        for match in all_of_it if not is_foreign(root, match)}
    if status != 0 and not all_of_it:
        findings.add(trees.Finding(".clang-tidy", 1, f"{PROGRAM} failed: {errors[-2000:]}"))
    return sorted(findings)


def is_foreign(root, match):
    inside = pathlib.Path(root, match.group(1)).is_relative_to(root)
    return not inside and "[clang-diagnostic-" not in match.group(4)


class Cache:
    """Empty files named by the hash of everything a verdict depends on, kept outside the tree.

    Of the flags, only those of the file itself count: a new module, whose folders join the flags of
    every batch, leaves the verdicts on the others valid.
    """

    def __init__(self, root, own_flags, folder=None):
        self.root = pathlib.Path(root)
        self.own_flags = own_flags
        home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
        self.folder = folder or pathlib.Path(home) / "muster" / "tidy"
        version = subprocess.run([PROGRAM, "--version"], capture_output=True, check=True).stdout
        self.base = version + (self.root / ".clang-tidy").read_bytes()

    def knows(self, path):
        return (self.folder / self.key(path)).exists()

    def remember(self, path):
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / self.key(path)).touch()

    def key(self, path):
        flags = self.own_flags[path]
        digest = hashlib.sha256(self.base)
        # Flags name this checkout's folder; the verdict does not depend on where that is.
        digest.update("\0".join(flags).replace(str(self.root), "").encode())
        folders = tuple(flag[2:] for flag in flags if flag.startswith("-I"))
        for file in sorted(closure(path, (*folders, str(self.root / "src"), str(self.root)))):
            digest.update(os.path.relpath(file, self.root).encode() + b"\0" + contents(file))
        return digest.hexdigest()


@functools.cache
def contents(path):
    return path.read_bytes()


@functools.cache
def included(path, folders):
    """Returns the project files that `path` names in its #include lines."""
    found = []
    for name in INCLUDE.findall(contents(path).decode(errors="replace")):
        for folder in (str(path.parent), *folders):
            file = pathlib.Path(folder) / name
            if not folder.startswith("/usr") and file.is_file():
                found.append(file)
                break
    return found


def closure(path, folders):
    files, todo = set(), [path]
    while todo:
        file = todo.pop()
        if file not in files:
            files.add(file)
            todo += included(file, folders)
    return files
