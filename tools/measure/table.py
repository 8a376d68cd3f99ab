"""Rows of the report: what was measured, its limit, and what a user would pick instead."""

import dataclasses
import statistics


@dataclasses.dataclass
class Elsewhere:
    """What another program needs for the same, measured on another machine or another day."""

    name: str
    samples: list[float]
    source: str  # Who measured it, where and when.


@dataclasses.dataclass
class Row:
    """One figure. `samples` and `peers` are in `unit`; an empty `samples` means not measured.
    `peers` were measured in the same run; all others belong into `elsewhere`.
    """

    key: str
    what: str
    unit: str  # "ms", "s", "MiB", "%", "steps/s", "lost"
    samples: list[float]
    command: str  # What gives this figure, for somebody who wants to see it again.
    limit: float | None = None
    at_least: bool = False  # The limit is a lower one.
    peers: dict[str, list[float]] = dataclasses.field(default_factory=dict)
    note: str = ""
    elsewhere: list[Elsewhere] = dataclasses.field(default_factory=list)
    exact: bool = False  # Measuring again gives the same: one sample is enough for a verdict.
    stamp: str = ""  # Which source, when, and how busy the machine was.

    @property
    def median(self):
        return statistics.median(self.samples) if self.samples else None

    @property
    def met(self):
        """True, False, or None where there is no limit or no measurement."""
        if self.limit is None or self.median is None:
            return None
        return self.median >= self.limit if self.at_least else self.median <= self.limit

    def as_json(self):
        peers = {name: {"median": statistics.median(samples), "min": min(samples),
                        "max": max(samples), "count": len(samples)}
                 for name, samples in self.peers.items() if samples}
        return {"key": self.key, "what": self.what, "unit": self.unit, "limit": self.limit,
                "limit_is": "at least" if self.at_least else "at most",
                "median": self.median, "min": min(self.samples, default=None),
                "max": max(self.samples, default=None), "count": len(self.samples),
                "samples": self.samples,
                "elsewhere": [dataclasses.asdict(one) for one in self.elsewhere],
                "peers": peers, "met": self.met, "command": self.command, "note": self.note}


def number(value):
    if value == 0 or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def spread(samples):
    text = number(statistics.median(samples))
    if len(samples) > 1:
        text += f" ({number(min(samples))}..{number(max(samples))})"
    return text


def limit_of(row):
    if row.limit is None:
        return ""
    return f"{'≥' if row.at_least else '≤'} {number(row.limit)} {row.unit}"


def peers_of(row):
    """Each peer's median, and how many times Muster's that is."""
    parts = []
    for name, samples in row.peers.items():
        if not samples:
            continue
        median = statistics.median(samples)
        ratio = f" (x {number(median / row.median)})" if row.median else ""
        parts.append(f"{name} {number(median)}{ratio}")
    return ", ".join(parts)


VERDICTS = {True: "met", False: "NOT MET", None: ""}


def cells(row):
    measured = f"{spread(row.samples)} {row.unit}" if row.samples else "not measured"
    return [row.what, limit_of(row), measured, peers_of(row), VERDICTS[row.met]]


HEADINGS = ["what", "limit", "median (min..max)", "others here (times ours)", ""]


def text_of(rows):
    """The table for a terminal, the notes and the commands behind the figures."""
    table = [HEADINGS, *map(cells, rows)]
    widths = [max(len(line[column]) for line in table) for column in range(len(HEADINGS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
             for line in table]
    lines.insert(1, "  ".join("-" * width for width in widths))
    lines += ["", "how to see a figure again:"]
    lines += [f"  {row.what}: {row.command}" for row in rows if row.samples]
    lines += [f"note, {row.what}: {row.note}" for row in rows if row.note]
    lines += [f"elsewhere, {row.what}: {one.name} {spread(one.samples)} {row.unit} ({one.source})"
              for row in rows for one in row.elsewhere]
    return "\n".join(lines)


def markdown_of(rows, enough):
    """The same for docs/benchmarks.md. Without `enough` samples there is no verdict."""
    lines = ["| what | limit | median (min..max), samples | others, same run (times ours) | | "
             "commit, UTC, load |",
             "|---|---|---|---|---|---|"]
    for row in rows:
        what, limit, measured, peers, verdict = cells(row)
        if verdict and len(row.samples) < enough and not row.exact:
            verdict = f"{verdict}, but few"
        lines.append(f"| {what} | {limit} | {measured}, {len(row.samples)} | {peers} | {verdict} | "
                     f"{row.stamp} |")
    return "\n".join(lines)


def markdown_of_elsewhere(rows):
    lines = ["| what | Muster | other program | measured |", "|---|---|---|---|"]
    lines += [f"| {row.what} | {spread(row.samples)} {row.unit} | "
              f"{one.name} {spread(one.samples)} {row.unit} | {one.source} |"
              for row in rows for one in row.elsewhere]
    return "\n".join(lines)
