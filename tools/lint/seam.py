"""No command knows where a job runs: src/app includes no header that belongs to one cluster or to
Hadoop.

The one file that makes clusters says so: `// lint: allow(seam) why` beside the include.
"""

import functools
import re

import ratchet
import tree as trees

CONCRETE = re.compile(r'^\s*#\s*include\s*"((?:cluster/\w+/|hadoop/)[^"]+)"')


SECTION = "seam"


@functools.cache
def measure(tree):
    """Returns the name of a file → (how many such headers it includes, the finding)."""
    measured = {}
    for path in tree.cpp():
        if not path.startswith("src/app/") or path.endswith("_test.cc"):
            continue
        lines = tree.text(path).split("\n")
        for number, line in enumerate(tree.code(path).split("\n"), 1):
            match = CONCRETE.match(line)
            if match and not trees.allowed(lines, number, "seam"):
                name = path.rpartition("/")[2]
                count = measured.get(name, (0, None))[0] + 1
                measured[name] = (count, trees.Finding(
                    path, number, f'"{match[1]}": what a cluster does lies behind '
                    "cluster::Cluster, so that every command is written once"))
    return measured


check, advice = ratchet.of(SECTION, measure)
