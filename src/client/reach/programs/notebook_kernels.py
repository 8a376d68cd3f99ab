"""Keeps a notebook's server and its Python kernels to their user: see notebook_program.h.

The server's configuration imports it, behind kernel_folder.py and peer_user.py in one file. Runs
with jupyter_client from 7, on any Python from 3.7.
"""

import atexit
import itertools
import os
import re
import shutil
import socket
import sys
import types

from tornado.httpserver import HTTPServer

try:
    from jupyter_client.localinterfaces import localhost
    from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner
except ImportError:
    LocalProvisioner = object

NAME = "muster-notebook"


def is_ipykernel(argv):
    """Whether a kernel is ipykernel, run by a Python of this host. Others may know nothing of Unix
    sockets, or run where this host's files are not."""
    if not argv or not re.fullmatch(r"python[0-9.]*", os.path.basename(argv[0])):
        return False
    words = list(itertools.dropwhile(lambda word: word.startswith("-") and word != "-m", argv[1:]))
    return words[:1] == ["-m"] and words[1:2] in (["ipykernel_launcher"], ["ipykernel"])


class PrivateProvisioner(LocalProvisioner):
    """Starts kernels as Jupyter does, those of ipykernel on Unix sockets in a folder of the
    server's user. On ports of this host every other user could read what they print."""

    _folder = None
    _numbers = itertools.count(1)

    @classmethod
    def prefix_of_sockets(cls):
        """A new one. The sockets go with their kernel, the folder with the server."""
        if cls._folder is None:
            cls._folder = make_kernel_folder()  # noqa: F821: of kernel_folder.py
            remove_at_exit(cls._folder)
        return os.path.join(cls._folder, str(next(cls._numbers)))

    async def pre_launch(self, **kwargs):
        manager = self.parent
        # Not where somebody has chosen an address; where a kernel starts again, it has its sockets.
        if manager.transport == "tcp" and manager.ip == localhost() \
                and is_ipykernel(self.kernel_spec.argv):
            manager.transport = "ipc"
            manager.cache_ports = False
            manager.ip = self.prefix_of_sockets()
        return await super().pre_launch(**kwargs)


def remove_at_exit(folder):
    owner = os.getpid()

    def remove():
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)


def keep_out_others():
    """Has the server close connections of other users of this host unread: a token or a cookie that
    somebody got hold of opens nothing for them."""
    handle = HTTPServer.handle_stream

    def handle_stream(self, stream, address):
        within = stream.socket.family == socket.AF_INET and address[0].startswith("127.")
        if within and not is_of_this_user(stream.socket):  # noqa: F821: of peer_user.py
            stream.close()
            return None
        return handle(self, stream, address)

    HTTPServer.handle_stream = handle_stream


def install(config):
    """Has the server keep to its user, and start its kernels this way, unless its user has chosen
    another."""
    keep_out_others()
    if LocalProvisioner is object:
        print("muster: other users of this host can read what the notebook's kernels print: "
              "jupyter_client is older than 7", file=sys.stderr, flush=True)
    elif not os.environ.get("JUPYTER_DEFAULT_PROVISIONER_NAME"):
        KernelProvisionerFactory.provisioners[NAME] = types.SimpleNamespace(
            name=NAME, value="muster_notebook_kernels:PrivateProvisioner",
            load=lambda: PrivateProvisioner)
        config.KernelProvisionerFactory.default_provisioner_name = NAME
