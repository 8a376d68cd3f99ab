"""The programs of make_corpus.py: each fails in one way, really. Data only.

A case has `class` and `name` (where it goes), and either `script` (run as python3 train.py) or
`shell`. Optional: `python` ("torch" or "tensorflow"), `with` (files beside it), `setup` and
`teardown` (shell, in the folder), `files`, `memory`, `processes` (limits), `nobody` (run as another
user), `kill` and `after` (a signal, seconds), `env` ("PORT" becomes a free port), `needs` ("cc"),
`root`, `wrap` (words before the command).
"""

import signal


def python(label, name, script, **more):
    return {"class": label, "name": name, "script": script.lstrip("\n"), **more}


def shell(label, name, command, **more):
    return {"class": label, "name": name, "shell": command, **more}


def c(label, name, source, compiler="cc", **more):
    suffix = "c" if compiler == "cc" else "cc"
    return shell(label, name, "./train", needs="cc", **{
        "with": {f"train.{suffix}": source}, "setup": f"{compiler} -w -O1 -o train train.{suffix}",
        **more})


TMPFS = "mkdir disk && mount -t tmpfs -o size=64k,nr_inodes=8 tmpfs disk"
UMOUNT = "umount disk"

USER = [
    python("user.import", "module", "import numpyy as np\n"),
    python("user.import", "from", "from os import no_such_name\n"),
    python("user.import", "nested", "import model\n", **{"with": {
        "model.py": "import layers\n", "layers.py": "import torch_scatter_x\n"}}),
    python("user.import", "tensorflow", "import tensorflow as tf\nprint(tf.__version__)\n"),
    python("user.import", "jax", "import sys\nprint('starting')\nimport jax.numpy as jnp\n"),
    shell("user.import", "module_switch", "python3 -m no_such_package.train --epochs 3"),
    shell("user.missing_file", "script", "python3 no_such_train.py"),
    python("user.syntax", "syntax", "def train(:\n    pass\n"),
    python("user.syntax", "indentation", "def train():\n    x = 1\n      y = 2\n"),
    python("user.syntax", "in_module", "import model\n",
           **{"with": {"model.py": "print 'hello'\n"}}),
    python("user.traceback", "value_error", """
import json
def parse(line):
    return float(line.split(',')[1])
def main():
    print('epoch 0')
    for line in ['1,2', '3,x']:
        parse(line)
main()
"""),
    python("user.traceback", "key_error", "batch = {'x': 1}\nprint(batch['label'])\n"),
    python("program.exception", "chained", """
try:
    {}['lr']
except KeyError as missing:
    raise RuntimeError('bad configuration') from missing
"""),
    python("program.exception", "custom", """
class TrainingError(Exception):
    pass
raise TrainingError('the gradient is gone')
"""),
    python("user.traceback", "recursion", "def f(x):\n    return f(x)\nf(1)\n"),
    python("user.traceback", "unicode", "b'\\xff\\xfe'.decode('utf-8')\n"),
    python("user.traceback", "noise_after", """
import atexit, sys
def late():
    for i in range(20):
        print('saving metrics', i, file=sys.stderr)
atexit.register(late)
raise TypeError('unsupported operand')
"""),
    python("program.exception", "torch_shape", """
import torch
layer = torch.nn.Linear(4, 2)
layer(torch.zeros(3, 5))
""", python="torch"),
    python("program.exception", "tf_shape", """
import tensorflow as tf
tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3]))
""", python="tensorflow"),
    python("user.assertion", "assert", "x = [1]\nassert len(x) == 2, 'batch has the wrong size'\n"),
    c("user.assertion", "c", "#include <assert.h>\nint main(int n, char**a) { assert(n == 7); }\n"),
    python("user.missing_file", "data_set",
           "with open('/data/mnist/train.csv') as file:\n    print(file.read())\n"),
    shell("user.missing_file", "cat", "cat /data/mnist/train.csv"),
    python("user.missing_file", "torch_load", "import torch\ntorch.load('ckpt/model.pt')\n",
           python="torch"),
    python("user.permission", "write", "open('/etc/muster-checkpoint', 'w')\n", nobody=True),
    shell("user.permission", "mkdir", "mkdir /etc/checkpoints && python3 train.py", nobody=True),
    python("user.exit", "seven", "import sys\nprint('bye')\nsys.exit(7)\n"),
    python("user.exit", "silent", "import os\nos._exit(3)\n"),
    shell("user.exit", "false", "false"),
    python("user.exit", "message", "import sys\nsys.exit('cannot train: no labels')\n"),
    shell("user.arguments", "argparse", "python3 train.py --epoch 5", **{"with": {"train.py": """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument('--lr', type=float)
parser.parse_args()
"""}}),
    shell("user.arguments", "grep", "grep --no-such-option x"),
    shell("user.syntax", "shell", "if true; then echo yes"),
    python("user.interrupt", "keyboard", "import time\ntime.sleep(60)\n",
           kill=signal.SIGINT, after=0.5),
    python("user.nan", "raise", """
loss = float('nan')
print('step 17 loss nan')
if loss != loss:
    raise FloatingPointError('loss is nan at step 17')
"""),
    python("user.nan", "exit", """
import sys
for step in range(3):
    print(f'step {step} loss=nan')
sys.exit('Training diverged: loss is NaN')
"""),
    python("user.nan", "torch_anomaly", """
import torch
torch.autograd.set_detect_anomaly(True)
x = torch.tensor([0.0], requires_grad=True)
(x / x * 0).sqrt().sum().backward()
""", python="torch"),
    python("user.nan", "tf_numerics", """
import tensorflow as tf
tf.debugging.check_numerics(tf.math.log(tf.constant([-1.0])), 'the loss')
""", python="tensorflow"),
    python("user.spawn_guard", "multiprocessing", """
import multiprocessing as mp
mp.set_start_method('spawn', force=True)
queue = mp.Manager().Queue()
"""),
    python("user.library", "shared_object", "import ctypes\nctypes.CDLL('libcudart.so.99')\n"),
    c("user.library", "loader", "int f(void); int main(void) { return f(); }\n",
      **{"with": {"train.c": "int f(void); int main(void) { return f(); }\n",
                  "f.c": "int f(void) { return 0; }\n"},
         "setup": "cc -shared -fPIC -o libf.so f.c && cc -o train train.c -L. -lf && rm libf.so"}),
    c("user.library", "symbol", "",
      **{"with": {"train.py": "import f\n",
                  "f.c": "int no_such_symbol(void);\n"
                         "int PyInit_f(void) { return no_such_symbol(); }\n"},
         "setup": "cc -shared -fPIC -o f.so f.c", "shell": "python3 train.py"}),
    shell("user.command_not_found", "program", "no-such-trainer --epochs 3"),
    shell("user.command_not_found", "path", "./train.sh"),
    shell("user.command_not_found", "shebang", "./train.sh", **{
        "with": {"train.sh": "#!/usr/bin/no-such-python\n"}, "setup": "chmod +x train.sh"}),
    shell("user.command_not_found", "env", "./train.py", **{
        "with": {"train.py": "#!/usr/bin/env python9\n"}, "setup": "chmod +x train.py"}),
    shell("user.command_not_found", "windows_lines", "./train.sh", **{
        "with": {"train.sh": "#!/usr/bin/env bash\r\necho hi\r\n"}, "setup": "chmod +x train.sh"}),
    shell("user.not_executable", "mode", "./train.sh",
          **{"with": {"train.sh": "#!/bin/sh\necho hi\n"}}),
    shell("user.not_executable", "folder", "./data", setup="mkdir data"),
    shell("user.not_executable", "format", "exec ./train", **{
        "with": {"train": "\x7fELF\x02\x01\x01 not a program\n"}, "setup": "chmod +x train"}),
    python("user.world_size", "torch_group", """
import torch.distributed as dist
dist.init_process_group('gloo', rank=0, world_size=1)
dist.new_group([0, 5])
""", python="torch", env={"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "PORT"}),
    python("user.world_size", "tf_config", """
import tensorflow as tf
tf.distribute.MultiWorkerMirroredStrategy()
""", python="tensorflow", env={"TF_CONFIG": '{"cluster": {"worker": ["127.0.0.1:PORT"]}, '
                               '"task": {"type": "worker", "index": 3}}'}),
    python("user.world_size", "torch_env", """
import os
import torch.distributed as dist
os.environ['MASTER_ADDR'] = '127.0.0.1'
dist.init_process_group('gloo')
""", python="torch"),
    python("user.ddp_unused", "find_unused", """
import os, torch, torch.distributed as dist
dist.init_process_group('gloo', rank=0, world_size=1)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    def forward(self, x):
        return self.a(x)
net = torch.nn.parallel.DistributedDataParallel(Net())
for _ in range(3):
    net(torch.zeros(1, 2)).sum().backward()
""", python="torch", env={"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "PORT"}),
    python("gpu.not_compiled", "torch", "import torch\ntorch.zeros(1).cuda()\n", python="torch"),
    python("gpu.not_compiled", "load", """
import torch
torch.zeros(2, device='cuda')
""", python="torch"),
]

MEMORY = [
    python("memory.allocation", "memory_error", "x = [0] * (1 << 40)\n", memory=1 << 30),
    python("memory.allocation", "bytes", "x = bytearray(4 << 30)\n", memory=1 << 30),
    c("memory.allocation", "bad_alloc",
      "#include <vector>\nint main() { std::vector<char> x(1ull << 45); return x[1]; }\n",
      compiler="c++"),
    c("memory.allocation", "bad_array", "int main(int n, char** a) "
      "{ char* x = new char[(1ull << 45) * n]; return x[1]; }\n", compiler="c++"),
    python("memory.allocation", "fork", "import os\nx = bytearray(900 << 20)\nos.fork()\n"
           "y = bytearray(900 << 20)\n", memory=1 << 30),
    python("memory.allocation", "torch", "import torch\ntorch.zeros(1 << 44)\n", python="torch"),
    python("memory.allocation", "tensorflow",
           "import tensorflow as tf\ntf.zeros([1 << 20, 1 << 20])\n", python="tensorflow"),
    python("memory.allocation", "numpy", "import numpy\nnumpy.zeros((1 << 24, 1 << 24))\n"),
    python("program.child_lost", "pool", """
import os
from concurrent.futures import ProcessPoolExecutor
with ProcessPoolExecutor(1) as pool:
    pool.submit(os._exit, 3).result()
"""),
    python("program.child_lost", "pipe", """
import multiprocessing, os
ours, theirs = multiprocessing.Pipe()
child = multiprocessing.Process(target=os._exit, args=(3,))
child.start()
child.join()
theirs.close()
print('loaded', ours.recv())
"""),
    python("program.child_lost", "torch_loader", """
import os, torch
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __len__(self):
        return 8
    def __getitem__(self, index):
        os.kill(os.getpid(), 9)
for batch in DataLoader(Data(), num_workers=1):
    print(batch)
""", python="torch"),
    python("memory.shm", "torch_loader", """
import torch
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.zeros(64, 1 << 18))
for (batch,) in DataLoader(data, batch_size=16, num_workers=1):
    print(batch.sum())
""", python="torch", root=True,
           wrap=["unshare", "-m", "/bin/sh", "-c",
                 'mount -t tmpfs -o size=1m tmpfs /dev/shm && exec "$0" "$@"']),
    python("program.bus", "share_memory", """
import torch
torch.zeros(1 << 22).share_memory_()
""", python="torch", root=True,
           wrap=["unshare", "-m", "/bin/sh", "-c",
                 'mount -t tmpfs -o size=1m tmpfs /dev/shm && exec "$0" "$@"']),
    python("disk.full", "shm_file", """
with open('/dev/shm/cache', 'wb') as file:
    file.write(bytes(4 << 20))
""", root=True, wrap=["unshare", "-m", "/bin/sh", "-c",
                      'mount -t tmpfs -o size=1m tmpfs /dev/shm && exec "$0" "$@"']),
]

SIGNALS = [
    python("program.killed", "sigkill",
           "import time\nprint('epoch 1', flush=True)\ntime.sleep(60)\n", kill=signal.SIGKILL),
    shell("program.killed", "through_shell", "sh -c 'echo epoch 1; kill -9 $$'; exit $?"),
    python("program.terminated", "sigterm", "import time\ntime.sleep(60)\n", kill=signal.SIGTERM),
    python("program.segfault", "faulthandler", """
import faulthandler, ctypes
faulthandler.enable()
ctypes.string_at(0)
"""),
    c("program.segfault", "c", '#include <stdio.h>\nint main(void) '
      '{ volatile int* p = 0; puts("step 1"); fflush(stdout); return *p; }\n'),
    shell("program.segfault", "through_shell", "sh -c 'kill -SEGV $$'; exit $?"),
    c("program.abort", "c", "#include <stdlib.h>\nint main(void) { abort(); }\n"),
    c("program.abort", "cpp", "#include <stdexcept>\nint main() "
      '{ throw std::runtime_error("the loader is broken"); }\n', compiler="c++"),
    python("program.abort", "faulthandler",
           "import os, faulthandler\nfaulthandler.enable()\nos.abort()\n"),
    python("program.bus", "mmap", """
import mmap
with open('weights.bin', 'w+b') as file:
    file.truncate(8192)
    view = mmap.mmap(file.fileno(), 8192)
    file.truncate(0)
    print('reading', flush=True)
    print(view[5000])
"""),
    c("program.illegal", "c", "int main(void) { __builtin_trap(); }\n"),
    c("program.arithmetic", "c", "int main(int n, char** a) "
      "{ volatile int zero = 0; return n / zero; }\n"),
    c("program.signal", "sigxcpu", "#include <signal.h>\nint main(void) { raise(SIGXCPU); }\n"),
    python("program.signal", "sigusr1",
           "import os, signal\nos.kill(os.getpid(), signal.SIGUSR1)\n"),
    python("peer.lost", "sigpipe", """
import os, signal
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
reader, writer = os.pipe()
os.close(reader)
os.write(writer, b'x')
"""),
]

NETWORK = [
    python("port.in_use", "python", """
import os, socket
first = socket.create_server(('127.0.0.1', 0))
socket.create_server(first.getsockname(), reuse_port=False)
"""),
    python("port.in_use", "http_server", """
import http.server, socket
first = socket.create_server(('127.0.0.1', 0))
http.server.HTTPServer.allow_reuse_address = False
http.server.HTTPServer(first.getsockname(), None)
"""),
    python("port.in_use", "torch_store", """
import os, socket
import torch.distributed as dist
taken = socket.create_server(('', int(os.environ['MASTER_PORT'])))
dist.init_process_group('gloo', rank=0, world_size=1)
""", python="torch", env={"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "PORT"}),
    python("port.in_use", "tf_server", """
import os, socket
import tensorflow as tf
port = int(os.environ['PORT'])
taken = socket.create_server(('', port))
cluster = tf.train.ClusterSpec({'worker': [f'127.0.0.1:{port}']})
tf.distribute.Server(cluster, job_name='worker', task_index=0)
""", python="tensorflow", env={"PORT": "PORT"}),
    python("peer.refused", "python", """
import socket
socket.create_connection(('127.0.0.1', 1))
"""),
    python("peer.lost", "reset", """
import socket, struct
server = socket.create_server(('127.0.0.1', 0))
client = socket.create_connection(server.getsockname())
peer, _ = server.accept()
peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
peer.close()
client.recv(1)
"""),
    python("peer.lost", "broken_pipe", """
import socket
a, b = socket.socketpair()
b.close()
a.sendall(b'gradient')
"""),
    python("network.resolve", "python", """
import socket
socket.create_connection(('no-such-host.invalid', 80))
"""),
    python("network.unreachable", "python", """
import socket
socket.create_connection(('127.0.0.1', 80), source_address=('192.0.2.1', 0))
"""),
    python("network.timeout", "python", """
import socket
server = socket.create_server(('127.0.0.1', 0))
client = socket.create_connection(server.getsockname(), timeout=0.2)
client.recv(1)
"""),
    python("rendezvous.timeout", "torch_master", """
import datetime
import torch.distributed as dist
dist.init_process_group('gloo', rank=0, world_size=2, timeout=datetime.timedelta(seconds=2))
""", python="torch", env={"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "PORT"}),
    python("rendezvous.timeout", "torch_worker", """
import datetime
import torch.distributed as dist
dist.init_process_group('gloo', rank=1, world_size=2, timeout=datetime.timedelta(seconds=2))
""", python="torch", env={"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "PORT"}),
]

HOST = [
    python("disk.full", "python", """
with open('disk/ckpt', 'wb') as file:
    file.write(bytes(1 << 20))
""", root=True, setup=TMPFS, teardown=UMOUNT),
    python("disk.full", "dev_full", "print('hello', file=open('/dev/full', 'w'), flush=True)\n"),
    shell("disk.full", "cp", "dd if=/dev/zero of=disk/x bs=1M count=1 && echo done",
          root=True, setup=TMPFS, teardown=UMOUNT),
    python("disk.full", "torch_save", """
import torch
torch.save(torch.zeros(1 << 20), 'disk/model.pt')
""", python="torch", root=True, setup=TMPFS, teardown=UMOUNT),
    python("disk.full", "tf_checkpoint", """
import tensorflow as tf
tf.train.Checkpoint(x=tf.Variable(tf.zeros([1 << 20]))).write('disk/ckpt')
""", python="tensorflow", root=True, setup=TMPFS, teardown=UMOUNT),
    python("disk.full", "inodes", """
for i in range(100):
    open(f'disk/{i}', 'w')
""", root=True, setup=TMPFS, teardown=UMOUNT),
    python("disk.read_only", "python", "open('disk/ckpt', 'w')\n", root=True,
           setup=TMPFS + " && mount -o remount,ro disk", teardown=UMOUNT),
    shell("disk.read_only", "touch", "touch disk/marker", root=True,
          setup=TMPFS + " && mount -o remount,ro disk", teardown=UMOUNT),
    python("limit.files", "python",
           "keep = [open('/dev/null') for _ in range(100)]\n", files=32),
    python("limit.files", "sockets",
           "import socket\nkeep = [socket.socket() for _ in range(100)]\n", files=32),
    python("limit.processes", "threads", """
import threading, time
for _ in range(100):
    threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
""", processes=10, nobody=True),
    python("limit.processes", "fork", """
import os, time
for _ in range(100):
    if os.fork() == 0:
        time.sleep(3)
        os._exit(0)
""", processes=10, nobody=True),
    shell("limit.processes", "shell",
          "ulimit -p 6; for i in 1 2 3 4 5 6 7 8 9; do sleep 3 & done; wait", nobody=True),
    shell("limit.file_size", "ulimit", "ulimit -f 1; exec python3 -c \"open('ckpt','wb')"
          ".write(bytes(1<<20))\""),
]

CHECKPOINTS = [
    python("checkpoint.corrupt", "torch", """
import torch
open('model.pt', 'wb').write(b'PK\\x03\\x04' + bytes(200))
torch.load('model.pt')
""", python="torch"),
    python("checkpoint.corrupt", "torch_key", """
import torch
open('model.pt', 'wb').write(b'<html>not a model</html>')
torch.load('model.pt')
""", python="torch"),
    python("checkpoint.corrupt", "torch_empty", """
import torch
open('model.pt', 'wb').close()
torch.load('model.pt')
""", python="torch"),
    python("checkpoint.corrupt", "tensorflow", """
import tensorflow as tf
path = tf.train.Checkpoint(x=tf.Variable(tf.random.normal([4096]))).write('ckpt')
data = path + '.data-00000-of-00001'
open(data, 'r+b').write(b'junk' * 100)
tf.train.Checkpoint(x=tf.Variable(tf.zeros([4096]))).read(path).assert_consumed()
""", python="tensorflow"),
    python("checkpoint.corrupt", "tf_index", """
import tensorflow as tf
path = tf.train.Checkpoint(x=tf.Variable(tf.random.normal([4096]))).write('ckpt')
open(path + '.index', 'r+b').truncate(20)
tf.train.Checkpoint(x=tf.Variable(tf.zeros([4096]))).read(path).assert_consumed()
""", python="tensorflow"),
    python("checkpoint.mismatch", "torch", """
import torch
state = torch.nn.Linear(4, 2).state_dict()
torch.nn.Linear(4, 3).load_state_dict(state)
""", python="torch"),
    python("checkpoint.mismatch", "tensorflow", """
import tensorflow as tf
path = tf.train.Checkpoint(x=tf.Variable(tf.zeros([4]))).write('ckpt')
tf.train.Checkpoint(x=tf.Variable(tf.zeros([5]))).read(path).assert_consumed()
""", python="tensorflow"),
    python("checkpoint.mismatch", "tf_keys", """
import tensorflow as tf
path = tf.train.Checkpoint(x=tf.Variable(tf.zeros([4]))).write('ckpt')
tf.train.Checkpoint(y=tf.Variable(tf.zeros([4]))).read(path).assert_existing_objects_matched()
""", python="tensorflow"),
]

CASES = USER + MEMORY + SIGNALS + NETWORK + HOST + CHECKPOINTS
