"""Figures that google-benchmark programs give: the machine, and the master with many agents."""

import json
import pathlib
import subprocess

from table import Row

BINARY_LIMIT_MB = 20


def counters(program, names):
    """Runs one benchmark alone in its process; returns its result, or raises."""
    words = [str(program), f"--benchmark_filter=^{names}$", "--benchmark_format=json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: status {done.returncode}: "
                           f"{done.stderr.strip()[-1000:]}")
    results = json.loads(done.stdout)["benchmarks"]
    if not results or results[0].get("error_occurred"):
        raise RuntimeError(f"{' '.join(words)}: {results and results[0]['error_message']}")
    return results


def machine(folder, rounds):
    program = pathlib.Path(folder) / "machine_bench"
    wanted = [("gather_a_gang", 1000, None, "simulated job of 1,000 tasks: start to all running"),
              ("gather_a_gang", 10_000, 1000, "simulated 10,000 tasks: start to all running"),
              ("restart_a_gang", 1000, None, "simulated restart of a gang of 1,000")]
    return [Row(f"{name}_{tasks}", what, "ms",
                [one["real_time"] for _ in range(rounds)
                 for one in counters(program, f"{name}/{tasks}(/.*)?")],
                f"{program.name} --benchmark_filter={name}/{tasks}", limit=limit)
            for name, tasks, limit, what in wanted]


def master(folder, rounds):
    """The real master with agents that have no tasks but their own encrypted connections."""
    program = pathlib.Path(folder) / "master_bench"
    got = {}
    for agents in (100, 1000, 4000):
        name = f"MasterWithAgents/{agents}/.*"
        got[agents] = [counters(program, name)[0] for _ in range(rounds)]
    told = f"{program.name} --benchmark_filter=MasterWithAgents/"
    return [
        Row("join_4000", "4,000 agents over TLS: first dial → all run, each with the view of all",
            "s", [one["real_time"] / 1000 for one in got[4000]], f"{told}4000", limit=3),
        *(Row(f"master_memory_{agents}", f"master's memory, {agents:,} agents over TLS (Rss)",
              "MiB", [one["resident_mib"] for one in got[agents]], f"{told}{agents}", limit=limit)
          for agents, limit in ((100, 24), (1000, 64))),
        Row("beats", "1,000 beating agents: the master's share of a core", "%",
            [one["core_percent"] for one in got[1000]], f"{told}1000", limit=2)]


def binary(path):
    size = pathlib.Path(path).stat().st_size / 1e6
    return [Row("binary", "the binary", "MB", [size], "ls -l build/release/muster",
                limit=BINARY_LIMIT_MB, exact=True)]
