"""Every #include of src/, sim/ and testing/ is allowed by its module's row in layers.toml."""

import re
import sys

import tree as trees

sys.path.insert(0, str(trees.ROOT / "tools"))
import layers as table  # noqa: E402  (tools/layers.py, which CMake reads, too)

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')

# Standard and system headers that no pure module needs: each opens a door to the outside world.
IMPURE = re.compile(
    r"^(thread|mutex|shared_mutex|condition_variable|future|latch|barrier|semaphore|stop_token"
    r"|random|iostream|fstream|filesystem|csignal|coroutine|unistd\.h|fcntl\.h|pthread\.h|poll\.h"
    r"|signal\.h|netdb\.h|dlfcn\.h|spawn\.h|(sys|netinet|arpa|linux)/.*)$")
NEVER = {"iostream": "it adds static initialisers; use fmt or the log", "regex": "use RE2"}


def module_of(path, modules):
    """Returns the name of the module that holds `path`, or None."""
    parts = path.split("/")
    if parts[0] == "src":
        parts = parts[1:]
    elif parts[0] not in modules or modules[parts[0]]["ring"] != "test":
        return None
    folder = "/".join(parts[:-1])
    while folder:
        if folder in modules:
            return folder
        folder = folder.rpartition("/")[0]
    return None


def library_of(header, libraries):
    """Returns the keys of the third-party libraries `header` belongs to, the longest match only."""
    best, keys = 0, []
    for key, library in libraries.items():
        for prefix in library["headers"]:
            if header.startswith(prefix) and len(prefix) >= best:
                keys = [*keys, key] if len(prefix) == best else [key]
                best = len(prefix)
    return keys


def check(tree, modules=None, libraries=None):
    if modules is None:
        modules, libraries = table.load()
    findings = table_findings(modules)
    for path in tree.cpp():
        if not path.startswith(("src/", "sim/", "testing/")):
            continue
        name = module_of(path, modules)
        if name is None:
            findings.append(trees.Finding(path, 1, "lies in no module of cmake/layers.toml"))
            continue
        lines = tree.text(path).split("\n")
        for number, line in enumerate(tree.code(path).split("\n"), 1):
            match = INCLUDE.match(line)
            if match and not trees.allowed(lines, number, "include"):
                message = judge(path, name, match.group(1), match.group(2), modules, libraries)
                if message:
                    findings.append(trees.Finding(path, number, message))
    return findings


def table_findings(modules):
    """Rows point down: a module uses lower rings, or its own below 4; siblings of ring 4 never."""
    findings = []
    for name, module in modules.items():
        for used in module["uses"]:
            ring, below = module["ring"], modules[used]["ring"]
            if ring == "test":
                continue
            if below == "test" or below > ring or (below == ring == 4):
                findings.append(trees.Finding(
                    "cmake/layers.toml", 1, f"{name} (ring {ring}) may not use {used} ({below})"))
    return findings


def judge(path, name, quoted, angled, modules, libraries):
    """Returns why module `name` may not include this header, or None."""
    module = modules[name]
    test = path.endswith(("_test.cc", "_test.h"))
    if quoted:
        return judge_project(path, name, quoted, test, modules)
    if angled in NEVER and not test:
        return f"<{angled}> is not used here: {NEVER[angled]}"
    if module["ring"] == 0 and not test and IMPURE.match(angled):
        return f"<{angled}> in {name}: ring 0 is pure (no clocks, threads, files, sockets)"
    keys = library_of(angled, libraries)
    if keys and not set(keys) & set(module["libraries"]) and not (test and "gtest" in keys):
        return f"<{angled}>: {name} may not see {' or '.join(keys)} (cmake/layers.toml)"
    if "gtest" in keys and not test and module["ring"] != "test":
        return f"<{angled}> outside a test"
    return None


def judge_project(path, name, header, test, modules):
    module = modules[name]
    if header.startswith("src/") or "../" in header:
        return f'"{header}": includes are relative to src/'
    if header.endswith(".pb.h"):
        return (None if {"protobuf", "hadoop_proto"} & set(module["libraries"]) else
                f'"{header}": {name} may not see protobuf (cmake/layers.toml)')
    other = module_of(header if header.split("/")[0] in ("sim", "testing") else "src/" + header,
                      modules)
    if other is None:
        return f'"{header}" belongs to no module; third-party headers go in <>'
    uses = [name, *module["uses"], *(module.get("test_uses", []) if test else [])]
    if other not in uses:
        return f'"{header}": {name} may not use {other} (cmake/layers.toml)'
    return None
