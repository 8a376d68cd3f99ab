"""Programs that fail by themselves: wrong code, memory, signals. Data only."""

import signal

from case import c, python, shell

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
    python("user.traceback", "torch_shape", """
import torch
layer = torch.nn.Linear(4, 2)
layer(torch.zeros(3, 5))
""", python="torch"),
    python("user.traceback", "tf_shape", """
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

CASES = USER + MEMORY + SIGNALS
