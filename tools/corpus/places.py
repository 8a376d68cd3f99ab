"""Programs that fail because of where they run: network, disks, limits, checkpoints. Data only."""

from case import python, shell

TMPFS = "mkdir disk && mount -t tmpfs -o size=64k,nr_inodes=8 tmpfs disk"
UMOUNT = "umount disk"

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

CASES = NETWORK + HOST + CHECKPOINTS
