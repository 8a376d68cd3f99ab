"""The product contains nothing that no product code calls (the release build).

The linker drops whatever nothing reaches (--gc-sections); anything that one of our modules defines
and muster has not kept is unused, even if it is tested. Not seen: the module `feed`, which is a
library of its own; templates, inline and virtual functions, constructors, destructors and
operators; a function whose name is also called in a file that is compiled together with its own, or
in a header of its module, since the call may have been inlined there. `// lint: allow(unused) why`
at a function's definition exempts it.
"""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import archives
import ratchet
import tidy
import tree as trees

sys.path.insert(0, str(trees.ROOT / "tools"))
import layers as table  # noqa: E402

BUILD, SECTION = "build/release", "unused"
# A library of its own: it has no map, and other callers.
ELSEWHERE = ("feed",)
# FFFF  FFFF  10  1        muster::job::apply(int)
KEPT = re.compile(r"^ *[0-9a-f]+ +[0-9a-f]+ +[0-9a-f]+ +\d+ {17}(\S.*)$", re.MULTILINE)


@functools.cache
def measure(tree):
    """Returns the name of each unused function → (how many of that name, the finding)."""
    if not (tree.root / BUILD / "muster").exists():
        raise ratchet.NotMeasuredError(
            trees.Finding(BUILD, 1, "has no muster: cmake --build --preset release"))
    kept = kept_by(link_map(tree.root / BUILD))
    together = companions(tree.root)
    measured = {}
    for name, archive in archives.of_modules(tree.root, table.load()[0]).items():
        for signature in archives.demangle(sorted(archive.functions)):
            if name not in ELSEWHERE and signature not in kept and is_ours(signature):
                finding = judge(tree, signature, name, together)
                if finding:
                    key = qualified(signature)
                    measured[key] = (measured.get(key, (0,))[0] + 1, finding)
    return measured


check, advice = ratchet.of(SECTION, measure)


def link_map(build):
    """Links the program again, only for the map and without --icf: a function that was folded into
    another with the same body is in no map, even though it is called."""
    ran = subprocess.run(["ninja", "-C", build, "-t", "commands", "muster"], capture_output=True,
                         text=True, check=True)
    with tempfile.TemporaryDirectory() as folder:
        command = map_only(ran.stdout.rstrip().split("\n")[-1], folder)
        subprocess.run(command, shell=True, cwd=build, check=True, capture_output=True)
        return (pathlib.Path(folder) / "map").read_text(errors="replace")


def map_only(command, folder):
    command = re.sub(r"-Wl,--icf=\w+", "-Wl,--icf=none", command)
    command = re.sub(r"-Wl,-Map=\S+", f"-Wl,-Map={folder}/map", command)
    return re.sub(r" -o muster ", f" -o {folder}/muster ", command)


def kept_by(link_map):
    """Returns the signatures that lld's map lists: those of the sections it has kept."""
    return set(KEPT.findall(link_map))


def is_ours(signature):
    name = qualified(signature)
    return name.startswith("muster::") and "(anonymous namespace)" not in signature and not (
        "<" in name or "[abi:" in signature or " [clone" in signature or
        re.search(r"::(~\w+|operator\b.*)$|\b(\w+)::\2$", name) is not None)


def qualified(signature):
    """Returns the name before the parameters: muster::job::Machine::apply."""
    return signature.split("(", 1)[0].rsplit(" ", 1)[-1]


def judge(tree, signature, module, together):
    """Returns the finding, or None if there may be a call where the function is defined."""
    scope, _, name = qualified(signature).rpartition("::")
    owner = scope.rpartition("::")[2]
    definitions, calls = [], set()
    for path in tree.cpp():
        if not path.startswith(f"src/{module}/") or path.endswith(("_test.cc", "_test.h")):
            continue
        for number, kind in mentions(tree.code(path), owner, name):
            if kind == "call":
                calls.add(path)
            elif path.endswith(".cc"):
                definitions.append((path, number))
    if not definitions:
        return None  # Made by a macro or a generator.
    near = {path for at, _ in definitions for path in together.get(at, {at})}
    path, number = definitions[0]
    if any(call in near or call.endswith(".h") for call in calls) or trees.allowed(
            tree.text(path).split("\n"), number, SECTION):
        return None
    return trees.Finding(path, number, f"no product code calls {qualified(signature)}")


def mentions(code, owner, name):
    """Returns (line, "call" or "definition") for each place where the function may be called or is
    defined.

    A declaration has a type before the name, and a definition also begins at the margin; any other
    mention of the function may be a call.
    """
    named = re.compile(rf"(?<![\w~])((?:\w+::)*){re.escape(name)}\s*\(")
    passed = re.compile(rf"[(,=&]\s*(?:\w+::)*{re.escape(name)}\s*[,);}}]")
    found = []
    for number, line in enumerate(code.split("\n"), 1):
        if passed.search(line):
            found.append((number, "call"))
        for match in named.finditer(line):
            if not is_declared(line, match.start()):
                found.append((number, "call"))
            elif line[0] != " " and match[1].rstrip(":").rpartition("::")[2] in ("", owner):
                found.append((number, "definition"))
    return found


def is_declared(line, at):
    """Returns whether the name is preceded by a type, or by nothing at the margin."""
    front = line[:at].rstrip()
    if re.search(r"[=(]|(->|&&|\b(return|co_return|co_await|co_yield|else|case|new))$", front):
        return False
    return re.search(r"[\w>&*\]]$", front) is not None or (front == "" and line[0] != " ")


def companions(root):
    """Returns the path of a source file → the paths that are compiled together with it."""
    commands = pathlib.Path(root) / BUILD / "compile_commands.json"
    if not commands.exists():
        return {}
    found = {}
    for entry in json.loads(commands.read_text()):
        paths = {os.path.relpath(one["file"], root) for one in
                 tidy.one_by_one(entry, pathlib.Path(root), BUILD)}
        for path in paths:
            found.setdefault(path, set()).update(paths)
    return found
