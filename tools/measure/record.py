"""Every measurement that stands in the docs: bench/measured.json, and the page made from it."""

import hashlib
import json
import pathlib
import statistics
import subprocess

from table import Elsewhere, Row, markdown_of, markdown_of_elsewhere

# What a figure depends on. A run with a change in one of these is of no source that others have.
SOURCES = ["CMakeLists.txt", "CMakePresets.json", "bench", "cmake", "proto", "python/src", "src",
           "tools/measure"]
# The record itself changes with each run.
NOT_SOURCES = ["bench/measured.json"]
ENOUGH = 5  # Samples that a verdict rests on.


class Tree:
    """The working tree as the source of a measurement."""

    def __init__(self, root):
        self.root = pathlib.Path(root)

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.root, check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def changed(self):
        """Sources that differ from the last commit, or that git does not know."""
        lines = self.git("status", "--porcelain", "--untracked-files=all", "--", *SOURCES)
        paths = [line[3:] for line in lines.splitlines()]
        return [path for path in paths if path not in NOT_SOURCES]

    def commit(self):
        return self.git("rev-parse", "--short=10", "HEAD").strip()

    def source(self):
        """Equal for trees with equal sources."""
        listed = self.git("ls-tree", "-r", "HEAD", "--", *SOURCES)
        kept = [line for line in listed.splitlines() if line.split("\t")[1] not in NOT_SOURCES]
        return hashlib.sha256("\n".join(kept).encode()).hexdigest()[:16]


class Record:
    """Runs by the keys of their rows. Of each row those of one source are kept, all of them, so
    that no verdict changes because somebody measured until it did.
    """

    def __init__(self, file):
        self.file = pathlib.Path(file)
        self.rows = json.loads(self.file.read_text())["rows"] if self.file.exists() else {}

    def add(self, rows, source, where):
        """Takes in the rows of one run. `where`: commit, time, load."""
        for row in rows:
            if not row.samples:
                continue
            known = self.rows.get(row.key, {})
            runs = known.get("runs", []) if known.get("source") == source else []
            runs.append({**where, "samples": row.samples,
                         "peers": {name: each for name, each in row.peers.items() if each}})
            self.rows[row.key] = {
                "what": row.what, "unit": row.unit, "command": row.command, "limit": row.limit,
                "at_least": row.at_least, "exact": row.exact, "note": row.note, "source": source,
                "elsewhere": [vars(one) for one in row.elsewhere], "runs": runs}

    def write(self):
        document = {"schema": "muster.measured/1", "rows": self.rows}
        self.file.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")

    def shown(self):
        """The rows of the page: the samples of all runs together, and where they come from."""
        shown = []
        for key, kept in self.rows.items():
            runs = kept["runs"]
            row = Row(key, kept["what"], kept["unit"], pooled(run["samples"] for run in runs),
                      kept["command"], kept["limit"], kept["at_least"], note=kept["note"],
                      exact=kept.get("exact", False))
            for name in dict.fromkeys(name for run in runs for name in run["peers"]):
                row.peers[name] = pooled(run["peers"].get(name, []) for run in runs)
            row.elsewhere = [Elsewhere(**one) for one in kept["elsewhere"]]
            loads = [run["load"] for run in runs]
            row.stamp = (f"{runs[-1]['commit']}, {runs[-1]['time'][:16].replace('T', ' ')}, "
                         f"load {statistics.median(loads):.1f}")
            shown.append(row)
        return shown

    def page(self):
        """The part of docs/benchmarks.md between its marks."""
        rows = self.shown()
        if not rows:
            return "Nothing was measured yet."
        text = markdown_of(rows, ENOUGH)
        elsewhere = [row for row in rows if row.elsewhere]
        if elsewhere:
            text += ("\n\nPeers that were not measured in the same run, each with its source:\n\n"
                     + markdown_of_elsewhere(elsewhere))
        return text


def pooled(lists):
    return [one for each in lists for one in each]
