"""Variants are examined with `std::visit`, which lists every alternative, not with a ladder.

Two or more `get_if` on one expression in one function are a ladder: an alternative that is added
later falls through it unseen. Tests may pick out the ones they look for. Two variables with the
same name in one function count as one.
"""

import functools
import re

import ratchet
import size
import tree as trees

GET_IF = re.compile(r"\bget_if\s*<")


SECTION = "ladders"


@functools.cache
def measure(tree):
    """Returns function → (the questions in its ladders, the finding)."""
    measured = {}
    for path in tree.cpp():
        if not path.startswith(("src/", "sim/")) or path.endswith(("_test.cc", "_test.h")):
            continue
        code = tree.code(path)
        if not GET_IF.search(code):
            continue
        lines = code.split("\n")
        for name, line, length in size.cpp_functions(code):
            asked = questions("\n".join(lines[line - 1:line - 1 + length]))
            rungs = {what: count for what, count in asked.items() if count > 1}
            if rungs:
                what = max(rungs, key=rungs.get)
                total = sum(rungs.values()) + measured.get(name, (0, None))[0]
                measured[name] = (total, trees.Finding(
                    path, line, f"{name} asks `{what}` {rungs[what]} times by get_if: use visit"))
    return measured


check, advice = ratchet.of(SECTION, measure)


def questions(code):
    """Returns expression → how often get_if is applied to it."""
    asked = {}
    for match in GET_IF.finditer(code):
        at = after(code, match.end() - 1, "<", ">")
        if code[at:].lstrip().startswith("("):
            start = code.index("(", at)
            what = " ".join(code[start + 1:after(code, start, "(", ")") - 1].split()).lstrip("&")
            asked[what] = asked.get(what, 0) + 1
    return asked


def after(code, at, opening, closing):
    """Returns the place after the bracket that closes the one at `at`."""
    depth = 0
    for place in range(at, len(code)):
        depth += (code[place] == opening) - (code[place] == closing)
        if depth == 0:
            return place + 1
    return len(code)
