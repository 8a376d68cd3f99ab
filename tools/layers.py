#!/usr/bin/env python3
"""Reads cmake/layers.toml and prints what CMake needs of it.

`layers.py cmake` prints one line per module for cmake/modules.cmake:
    module|ring|used modules|link targets|modules that only its tests link|ON if it is hot
with commas in lists.
Modules come in dependency order. Exits with 1 and a message when the table contradicts itself.
"""

import pathlib
import sys
import tomllib

TABLE = pathlib.Path(__file__).resolve().parent.parent / "cmake" / "layers.toml"


def load():
    with TABLE.open("rb") as file:
        table = tomllib.load(file)
    modules, libraries = table["modules"], table["libraries"]
    for name, module in modules.items():
        for used in [*module["uses"], *module.get("test_uses", [])]:
            if used not in modules:
                sys.exit(f"layers.toml: module {name} uses {used}, which has no row")
        for library in module["libraries"]:
            if library not in libraries:
                sys.exit(f"layers.toml: module {name} sees {library}, which is not in [libraries]")
    return modules, libraries


def in_order(modules):
    """Returns the module names so that each comes after those it uses; a cycle ends the program."""
    done, order = set(), []

    def visit(name, path):
        if name in path:
            sys.exit("layers.toml: cycle " + " -> ".join([*path, name]))
        if name in done:
            return
        for used in modules[name]["uses"]:
            visit(used, [*path, name])
        done.add(name)
        order.append(name)

    for name in modules:
        visit(name, [])
    return order


def main():
    if sys.argv[1:] != ["cmake"]:
        sys.exit("usage: layers.py cmake")
    modules, libraries = load()
    for name in in_order(modules):
        module = modules[name]
        targets = dict.fromkeys(libraries[key]["target"] for key in module["libraries"])
        columns = [module["uses"], targets, module.get("test_uses", [])]
        print("|".join([name, str(module["ring"]), *(",".join(column) for column in columns),
                        "ON" if is_hot(module) else "OFF"]))


def is_hot(module):
    """Code that only tests link is hot: tests run it millions of times."""
    return module.get("hot", module["ring"] == "test")


if __name__ == "__main__":
    main()
