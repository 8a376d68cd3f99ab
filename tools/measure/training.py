"""Training speed under Muster, beside the same processes started by hand and by torchrun."""

import os
import socket

import peers
from table import Row

# DistributedDataParallel over gloo where torch is there; else the same arithmetic without peers.
PROGRAM = '''
import os, time
SECONDS = float(os.environ["BENCH_SECONDS"])
RANK = int(os.environ["RANK"])


def torch_step():
    import torch
    import torch.distributed as dist
    torch.set_num_threads(1)
    torch.manual_seed(1)
    dist.init_process_group("gloo")
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(
        torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    rows, labels = torch.randn(128, 256), torch.randint(10, (128,))
    more = torch.ones(1)

    def step(go_on):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(rows), labels).backward()
        optimizer.step()
        if go_on is not None:  # All ranks stop after the same step.
            more.fill_(float(go_on))
            dist.broadcast(more, 0)
        return bool(more.item())
    return step


def plain_step():
    rows = [[(i * j) % 7 / 7 for j in range(60)] for i in range(60)]

    def step(go_on):
        [[sum(a * b for a, b in zip(x, y)) for y in rows] for x in rows]
        return go_on is not False
    return step


try:
    step = torch_step()
except ImportError:
    step = plain_step()
for _ in range(10):
    step(None)
steps, started = 0, time.perf_counter()
while True:
    steps += 1
    if steps % 5 == 0 and not step(time.perf_counter() - started < SECONDS):
        break
    if steps % 5:
        step(None)
if RANK == 0:
    with open(os.environ["BENCH_RESULT"], "w") as file:
        file.write(str(steps / (time.perf_counter() - started)))
'''


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def training(muster, rounds, torch, folder, seconds=2.0, counts=(1, 2, 4)):
    """Rounds alternate between the ways, so that a change of the machine's mood meets all."""
    program, result = folder / "train.py", folder / "steps"
    program.write_text(PROGRAM)
    extra = {"BENCH_SECONDS": str(seconds), "BENCH_RESULT": str(result), "OMP_NUM_THREADS": "1"}
    by_hand = dict(os.environ, **extra)
    under_muster = dict(muster.environment, **extra)
    command = f"exec {peers.PYTHON} {program}"
    rows = []
    for tasks in counts:
        speeds = {"muster": [], "shell script": [], "torchrun": []}
        start = [muster.binary, "run", "-q", "-n", str(tasks), "--framework", "pytorch", "--set",
                 "roles.worker.memory=1g", "--", "sh", "-c", command]

        def speed(words, environment):
            result.unlink(missing_ok=True)
            peers.seconds_for(words, environment)
            return float(result.read_text())

        for turn in range(rounds):
            ways = [("shell script", peers.script(tasks, command, free_port()), by_hand),
                    ("muster", start, under_muster)]
            for name, words, environment in ways if turn % 2 == 0 else reversed(ways):
                speeds[name].append(speed(words, environment))
        if torch:
            speeds["torchrun"].append(speed(peers.torchrun(tasks, command), by_hand))
        rows += rows_of(tasks, speeds, torch)
    return rows


def rows_of(tasks, speeds, torch):
    loop = "PyTorch DDP" if torch else "plain Python"
    hand = speeds["shell script"]
    shares = [100 * ours / theirs for ours, theirs in zip(speeds["muster"], hand, strict=True)]
    noise = 100 * (max(hand) - min(hand)) / max(hand)
    told = f"muster run -q -n {tasks} --framework pytorch -- python3 train.py"
    peers_of = {name: speeds[name] for name in ("shell script", "torchrun")}
    return [Row(f"training_{tasks}", f"training speed, {tasks} tasks ({loop})", "steps/s",
                speeds["muster"], told, peers=peers_of),
            Row(f"training_share_{tasks}", f"the same, in percent of the script's, {tasks} tasks",
                "%", shares, told, limit=99, at_least=True,
                note=f"the script's own rounds differ by {noise:.1f} %")]
