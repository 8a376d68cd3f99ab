"""What TonY's ways into Muster cost: the flags of `muster tony`, and the submitters of the jar."""

import pathlib
import shutil
import statistics
import subprocess
import time

import peers
import programs
from table import Row

from muster import Job, memory_mib, wait_until

FLAGS = ["tony", "--on", "local", "--quiet", "-executes", "true", "-conf",
         "tony.worker.instances=1", "-conf", "tony.worker.memory=64m"]
SUBMITTER = "com.linkedin.tony.cli.ClusterSubmitter"


def tony(muster, rounds, folder, benches):
    rows = [over_run(muster, rounds, folder), *rendezvous(rounds, benches)]
    jar = pathlib.Path(muster.binary).resolve().parent / "muster-tony.jar"
    if not (shutil.which("java") and jar.exists()):
        raise RuntimeError(f"there is no java, or no {jar}: `make` builds it")
    return [*rows, jar_start(muster, jar, rounds, folder), jar_memory(muster, jar, rounds)]


def over_run(muster, rounds, folder):
    """The same job by TonY's flags and as the specification that is made of them, in turn."""
    spec = folder / "tony.yaml"
    spec.write_text(muster.run(*FLAGS, "--convert"))
    ways = {"tony": [muster.binary, *FLAGS], "run": [muster.binary, "run", "-q", spec]}
    seconds = {"tony": [], "run": []}
    for turn in range(8 * rounds):
        for name in ways if turn % 2 == 0 else reversed(ways):
            seconds[name].append(peers.seconds_for(ways[name], muster.environment, cwd=folder))
    # Single runs differ by more than what is asked for: medians of blocks of eight are compared.
    over = [1000 * (statistics.median(seconds["tony"][at:at + 8])
                    - statistics.median(seconds["run"][at:at + 8]))
            for at in range(0, 8 * rounds, 8)]
    return Row("tony_over_run", "`muster tony` beyond `muster run` of the same job", "ms", over,
               "muster tony --on local -executes true; muster run tony.yaml", limit=5,
               note="medians of eight in turn")


def rendezvous(rounds, benches):
    """All that 256 ranks of Horovod 0.28 ask with the gloo that it carries, on 32 hosts of 8: three
    meshes for each, every request by a connection. The ranks' own work is in the first figure: four
    threads stand for them on the same cores. A server that only accepts, reads, sends and closes is
    what the kernel takes of both. The limit is on what is Muster's (ADR 0025): the time that its
    server spends in user space, on the requests of all ranks."""
    program = pathlib.Path(benches) / "rendezvous_bench"
    ours, bare = [], []
    for _ in range(rounds):
        ours.append(programs.counters(program, "RanksMeet/256/.*")[0])
        bare.append(programs.counters(program, "BareSockets/256/.*")[0])
    name = "a server that knows nothing"
    told = f"{program.name} --benchmark_filter=256"
    asked = f"{ours[0]['requests']:,.0f} requests, {ours[0]['read_mb'] / 1000:.1f} GB of answers"

    def row(key, what, unit, figure, limit=None):
        return Row(key, what, unit, [figure(one) for one in ours], told, limit=limit,
                   peers={name: [figure(one) for one in bare]})

    return [
        row("horovod_rendezvous_256", "256 ranks of Horovod (32 hosts of 8) meet at the "
            f"rendezvous: {asked}; the ranks' own work on the same cores", "s",
            lambda one: one["real_time"] / 1000),
        row("horovod_rendezvous_256_server", "of that, what the server takes of a processor, with "
            "the kernel's sockets", "s", lambda one: one["server_ms"] / 1000),
        row("horovod_rendezvous_256_own", "of that, the server's own processor time, for all 256 "
            "ranks", "s", lambda one: one["own_ms"] / 1000, limit=1),
        row("horovod_rendezvous_request", "what the server takes for one request", "µs",
            lambda one: 1000 * one["server_ms"] / one["requests"]),
        row("horovod_rendezvous_request_own", "of that, the server's own processor time", "µs",
            lambda one: 1000 * one["own_ms"] / one["requests"])]


def submitter(jar, environment, *flags):
    return subprocess.Popen(["java", "-cp", jar, SUBMITTER, *flags], env=environment,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def jar_start(muster, jar, rounds, folder):
    """From the shell's fork until the submitter starts muster for the job."""
    program, stamp = folder / "stamping", folder / "started"
    program.write_text(f'#!/bin/sh\n[ "$2" = --convert ] || date +%s.%N >{stamp}\n')
    program.chmod(0o755)
    samples = []
    for _ in range(rounds + 1):
        stamp.unlink(missing_ok=True)
        started = time.time()
        submitter(jar, dict(muster.environment, MUSTER_BINARY=str(program)), *FLAGS[1:]).wait(60)
        samples.append(1000 * (float(stamp.read_text()) - started))
    return Row("tony_jar_start", "ClusterSubmitter of muster-tony.jar: command → muster", "ms",
               samples[1:], f"java -cp muster-tony.jar {SUBMITTER} FLAG...", limit=400,
               note="the first one, which warms the disk, is left out")


def jar_memory(muster, jar, rounds):
    return Row("tony_jar_memory", "ClusterSubmitter of muster-tony.jar: memory (Rss) while its "
               "job runs", "MiB", [memory_of_submitter(muster, jar) for _ in range(rounds)],
               f"java -cp muster-tony.jar {SUBMITTER} FLAG...; smaps_rollup", limit=60)


def memory_of_submitter(muster, jar):
    """While its job runs and nothing happens."""
    environment = dict(muster.environment, MUSTER_BINARY=muster.binary)
    words = ["exec sleep 1000" if word == "true" else word for word in FLAGS[1:]]
    before = set(folders_of(muster))
    running = submitter(jar, environment, *words)
    try:
        wait_until(lambda: runs(muster, before), "the submitter's job runs", 60)
        return memory_mib(running.pid, "Rss")
    finally:
        running.terminate()
        running.wait(60)


def folders_of(muster):
    return [folder.name for folder in (muster.home / "jobs").glob("*")]


def runs(muster, before):
    new = [name for name in folders_of(muster) if name not in before]
    return bool(new and Job(muster, new[0]).facts("attempt-started"))
