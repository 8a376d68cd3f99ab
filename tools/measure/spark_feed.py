"""The feed from Spark: rows per second beside what Spark itself delivers, and the original's."""

import json
import os
import pathlib
import statistics
import subprocess
import sys

from table import Row

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "bench" / "spark" / "feed_rates.py"
ORIGINAL = "tensorflowonspark==2.2.5"
SHARE = 0.8  # Of what Spark itself delivers.

sys.path.insert(0, str(PROGRAM.parent))

import rows as kinds  # noqa: E402

WAYS = {"rdd lists": "next_batch", "rdd columns": "columns", "frame": "DataFrame, columns"}
COMMAND = "tools/bench --only spark"


def spark_feed(binary, library, folder, quick):
    """Measures; gives the rows of the table."""
    python = environment()
    ours = run(python, folder, quick, {
        "PYTHONPATH": str(ROOT / "python" / "src"), "MUSTER_BINARY": str(binary),
        "MUSTER_FEED_LIBRARY": str(library), "MUSTER_HOME": str(folder / "home")})
    theirs = run(python, folder, quick, {"PYTHONPATH": str(original(python))}, "--original")
    return rows_of(ours, theirs)


def environment():
    done = subprocess.run([ROOT / "tools" / "setup_python", "spark"], check=True, text=True,
                          stdout=subprocess.PIPE)
    return pathlib.Path(done.stdout.strip()) / "bin" / "python"


def original(python):
    """The folder of TensorFlowOnSpark itself, fetched once."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))
    target = cache / "muster" / ORIGINAL.replace("==", "-")
    if not (target / "tensorflowonspark").is_dir():
        subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "install", "-q",
                        "--no-deps", "--target", target, ORIGINAL], check=True, stdout=sys.stderr)
    return target


def run(python, folder, quick, environ, *more):
    """What feed_rates.py found: (what, kind) → values."""
    out = pathlib.Path(folder) / "feed_rates.json"
    out.unlink(missing_ok=True)
    words = [python, "-B", PROGRAM, "--out", out, "--rounds", "1" if quick or more else "5",
             "--seconds", "1" if quick or more else "5", *more]
    kept = dict(os.environ, PYSPARK_PYTHON=str(python), SPARK_LOCAL_IP="127.0.0.1",
                TF_CPP_MIN_LOG_LEVEL="2", **environ)
    done = subprocess.run(words, cwd=folder, env=kept, stdout=sys.stderr)
    if not out.exists():
        raise RuntimeError(f"{PROGRAM.name} ended with {done.returncode} and found nothing")
    return found(json.loads(out.read_text()))


def found(values):
    by = {}
    for one in values:
        by.setdefault((one["what"], one["kind"]), []).append(one["value"])
    return by


def rows_of(ours, theirs):
    table = []
    for kind, (_, size, columns) in kinds.KINDS.items():
        for way, name in WAYS.items():
            if way != "frame" or columns is not None:
                table.append(rate_row(kind, size, way, name, ours))
        table.append(call_row(kind, ours, theirs))
    for what, words, unit, limit, key in (
            ("inference", "inference, 13 floats, one result a row", "rows/s", None, "13 floats"),
            ("entered", "run() in a warm application → map_fun entered", "ms", 500, ""),
            ("shutdown", "end of map_fun → shutdown() has returned", "ms", 500, ""),
            ("death", "killed program → the call that feeds it has raised", "ms", 1000, ""),
            ("ring", "memory of the feed under a slow program", "MiB", 18, "")):
        row = Row(f"spark_{what}", f"Spark: {words}", unit, ours.get((what, key), []), COMMAND,
                  limit=limit)
        row.peers = {ORIGINAL: theirs.get((what, key), [])}
        table.append(row)
    return table


def call_row(kind, ours, theirs):
    """What both packages have: rows of a call of train(), from its start to its return."""
    key = ("rdd lists, call", kind)
    row = Row(f"spark_call_{kind}".replace(" ", "_"), f"Spark: {kind}, train() as a whole",
              "rows/s", ours.get(key, []), COMMAND)
    row.peers = {ORIGINAL: theirs.get(key, [])}
    row.note = "the original is given fewer rows, or its part would take an hour"
    return row


def rate_row(kind, size, way, name, ours):
    alone = ours.get((f"spark for {way}", kind), [])
    rates = ours.get((way, kind), [])
    limit = SHARE * statistics.median(alone) if alone else None
    row = Row(f"spark_{way}_{kind}".replace(" ", "_"), f"Spark: {kind}, {name}", "rows/s", rates,
              COMMAND, limit=limit, at_least=True)
    row.peers = {"Spark alone": alone}
    if rates and alone:
        share = 100 * row.median / statistics.median(alone)
        row.note = f"{share:.0f} % of Spark alone, {row.median * size / 1e6:.0f} MB/s"
        by_processor = [ours.get((f"{what}, processor", kind), [])
                        for what in (way, f"spark for {way}")]
        if all(by_processor):
            fed, spark = map(statistics.median, by_processor)
            row.note += f"; by the feeding process's processor time {100 * fed / spark:.0f} %"
    return row
