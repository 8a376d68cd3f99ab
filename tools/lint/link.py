"""The link test of each module: its objects resolve against its own row of layers.toml only.

Linking each whole module against only its declared dependencies would do the same; reading the
symbol tables takes a second for all of them and names the module that was reached for.
"""

import pathlib
import sys

import archives
import tree as trees

sys.path.insert(0, str(trees.ROOT / "tools"))
import layers as table  # noqa: E402

LIBRARY_FOLDERS = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib"]
STANDARD = ("_ZNSt", "_ZNKSt", "_ZSt", "_ZTVSt", "_ZTISt", "_ZTSSt", "_ZTVN10__cxxabiv1")


def check(tree):
    modules, libraries = table.load()
    built = archives.of_modules(tree.root, modules)
    return judge(modules, built, third_party(tree.root, libraries))


def third_party(root, libraries):
    """Returns library key -> the symbols its static archives define."""
    symbols = {}
    for key, library in libraries.items():
        for name in library.get("archives", []):
            folders = [root / "build" / "release", *map(pathlib.Path, LIBRARY_FOLDERS)]
            path = next((folder / name for folder in folders if (folder / name).exists()), None)
            if path:
                symbols.setdefault(key, set()).update(archives.read(path).strong)
    return symbols


def judge(modules, built, libraries):
    findings = []
    for name, archive in built.items():
        may = [name, *modules[name]["uses"]]
        for symbol, member in archive.needs.items():
            if any(used in built and built[used].defines(symbol) for used in may):
                continue
            why = reached(symbol, modules[name], built, libraries)
            if why:
                path = f"src/{name}/{member.removesuffix('.o')}"
                readable = archives.demangle([symbol])[0]
                findings.append(trees.Finding(path, 1, f"needs {readable}, {why}"))
    return findings


def reached(symbol, module, built, libraries):
    """Returns why needing `symbol`, which no declared module defines, is wrong; else None."""
    owners = [name for name, archive in built.items() if archive.defines(symbol)]
    if owners:
        return f"which {owners[0]} defines and its row does not name"
    if "N6muster" in symbol and "4wire2v1" not in symbol and not generated(symbol):
        return "which is declared and nowhere defined"
    if symbol.startswith(STANDARD):
        return None
    owners = [key for key, symbols in libraries.items() if symbol in symbols]
    if owners and not set(owners) & set(module["libraries"]):
        return f"of {owners[0]}, which its row does not name"
    return None


def generated(symbol):
    """Returns whether the symbol belongs to protobuf messages, which are in muster_proto."""
    return any(part in symbol for part in ("5event2v1", "7control2v1"))
