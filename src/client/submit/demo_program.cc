#include "client/submit/demo_program.h"

namespace muster::client {

std::string_view demo_spec() {
  return R"yaml(# `muster demo`: four tasks that need only python3. One of them dies half-way.
name: demo
framework: generic
command: python3 demo.py
files: [demo.py]
roles:
  chief: {tasks: 1, memory: 64m, chief: true}
  worker: {tasks: 3, memory: 64m, restart: {process: 2, backoff: 50ms..50ms}}
checkpoint: {by: each}
deadlines: {run: 1m, stop: 2s}
)yaml";
}

std::string_view demo_program() {
  return R"python("""Estimates pi: three workers throw darts, a chief adds their counts up.

Worker 1 is killed in the middle of its first attempt and goes on from its checkpoint in the second.
"""
import json
import os
import random
import signal
import socket
import sys
import time

role, index = os.environ["MUSTER_ROLE"], int(os.environ["MUSTER_INDEX"])
attempt = int(os.environ["MUSTER_ATTEMPT"])
steps, darts_a_step = 10, 20_000


def say(*words):
    print(*words, flush=True)


def work():
    with open(os.environ["MUSTER_VIEW_FILE"], encoding="utf-8") as file:
        chief = json.load(file)["chief"][0]
    saved = os.path.join(os.environ["MUSTER_CHECKPOINT_DIR"], f"worker-{index}.json")
    step, hits = 0, 0
    say("darts ready")
    if os.path.exists(saved):
        with open(saved, encoding="utf-8") as file:
            step, hits = json.load(file)
        say(f"resumed at step {step} of {steps}")
    dice = random.Random(index * 1000 + step)
    while step < steps:
        hits += sum(dice.random() ** 2 + dice.random() ** 2 < 1 for _ in range(darts_a_step))
        step += 1
        with open(saved + ".new", "w", encoding="utf-8") as file:
            json.dump([step, hits], file)
        os.replace(saved + ".new", saved)
        time.sleep(0.05)
        if index == 1 and attempt == 1 and step == steps // 2:
            say("killing this process, to show what happens")
            os.kill(os.getpid(), signal.SIGKILL)
    host, port = chief.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(json.dumps([index, hits]).encode() + b"\n")
    say(f"sent {hits} hits")


def lead():
    here = ("127.0.0.1", int(os.environ["MUSTER_PORT"]))
    with socket.create_server(here, reuse_port=True) as server:
        server.settimeout(30)
        results = {}
        while len(results) < 3:
            connection, _ = server.accept()
            with connection, connection.makefile() as lines:
                worker, hits = json.loads(lines.readline())
                results[worker] = hits
                say(f"worker {worker} is done ({len(results)} of 3)")
    say(f"pi is about {4 * sum(results.values()) / (3 * steps * darts_a_step):.4f}")


if role == "chief":
    lead()
else:
    work()
sys.exit(0)
)python";
}

}  // namespace muster::client
