"""TonY's Ray example with the flags and settings from its README: a head and two workers. The
program and its data are our own."""

import zipfile

from tony_example import environment_of, write_settings

# What it has besides its settings: where the head is, from TF_CONFIG.
DISCOVERY = """#!/usr/bin/env python
import json, os, sys
address = json.loads(os.environ["TF_CONFIG"])["cluster"]["head"][0]
print(address if "--head-address" in sys.argv else address.rpartition(":")[2])
"""
PROGRAM = """
import json, os, time
import ray
cluster = json.loads(os.environ["TF_CONFIG"])["cluster"]
port = cluster["head"][0].rpartition(":")[2]
ray.init(address="localhost:" + port)
while sum(node["Alive"] for node in ray.nodes()) < 1 + len(cluster["worker"]):
    time.sleep(0.2)

@ray.remote(num_cpus=1)
class Part:
    # Has a processor to itself, and thus a node.
    def __init__(self, part):
        self.rows = [(x / 30 - 1, 3 * (x / 30 - 1) - 1) for x in range(part, 60, 3)]

    def slopes(self, a, b):
        errors = [(a * x + b - y, x) for x, y in self.rows]
        return 2 * sum(error * x for error, x in errors) / 60, 2 * sum(e for e, _ in errors) / 60

    def node(self):
        return ray.get_runtime_context().get_node_id()

parts = [Part.remote(part) for part in range(3)]
a = b = 0.0
for _ in range(60):
    slopes = ray.get([part.slopes.remote(a, b) for part in parts])
    a -= 0.5 * sum(slope for slope, _ in slopes)
    b -= 0.5 * sum(slope for _, slope in slopes)
nodes = set(ray.get([part.node.remote() for part in parts]))
print(len(nodes), "nodes learned", f"y = {a:.2f} x + {b:.2f}", flush=True)
"""
# The commands from its README. Ray 2 calls the head's port --port, and has no Redis of its own.
PREPARE = ("chmod +x $PWD/venv/lib/python3.7/site-packages/ray/core/src/ray/raylet/raylet; "
           "chmod +x $PWD/venv/bin/*; source $PWD/venv/bin/activate; ")
LIMITS = "--object-store-memory=200000000 --memory 200000000 --num-cpus=1 "
SETTINGS = {
    "tony.worker.instances": 2, "tony.worker.memory": "3g", "tony.head.instances": 1,
    "tony.head.command": f"{PREPARE}ray start --head --port=`./discovery.py --head-port` {LIMITS}; "
                         "python example.py; ray stop",
    "tony.worker.command": f"{PREPARE}ray start {LIMITS}"
                           "--address=`./discovery.py --head-address` --block; ray stop",
}


def write(muster):
    """Writes a packed environment with the scripts of a conda one, the sources, and the
    settings."""
    folder = environment_of("frameworks")
    with zipfile.ZipFile(muster.folder / "venv.zip", "w") as archive:
        for name, text in {
                "bin/activate": 'PATH="$PWD/venv/bin:$PATH"\n',
                "bin/python": f'#!/bin/sh\nexec {folder}/bin/python "$@"\n',
                "bin/ray": f'#!/bin/sh\nexec {folder}/bin/python -m ray.scripts.scripts "$@"\n'
        }.items():
            # As TonY left them: not executable before the chmod.
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o640 << 16
            archive.writestr(entry, text)
    muster.write("src/discovery.py", DISCOVERY, mode=0o755)
    muster.write("src/example.py", PROGRAM)
    write_settings(muster, SETTINGS)


FLAGS = ("-src_dir", "src", "-python_venv", "venv.zip", "-conf_file", "tony-test.xml")


def expect_learned(done):
    done.expect(0)
    assert done.lines(r"3 nodes learned y = 3\.00 x \+ -1\.00"), done.text
