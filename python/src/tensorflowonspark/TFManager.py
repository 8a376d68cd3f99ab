"""Queues and values shared by the processes of one node.

Rows do not go through here: they have the ring (muster.feed). Items that programs put into their
own queues, and the node's state, do.
"""

from multiprocessing import JoinableQueue
from multiprocessing.managers import BaseManager


class TFManager(BaseManager):
    """Gives out queues (`get_queue`) and values (`get`, `set`) by name."""


mgr = None
qdict = {}
kdict = {}


def _get(key):
    return kdict[key]


def _set(key, value):
    kdict[key] = value


def _get_queue(qname):
    return qdict.get(qname)


def start(authkey, queues, mode="local"):
    """Starts the manager of this node, in a process of its own, with one queue per name.

    'local' listens on a Unix socket of this user. 'remote' used to listen on every interface and to
    unpickle whatever came; now it listens on the loopback interface.
    """
    global mgr
    qdict.clear()
    kdict.clear()
    qdict.update((name, JoinableQueue()) for name in queues)
    TFManager.register("get_queue", callable=_get_queue)
    TFManager.register("get", callable=_get)
    TFManager.register("set", callable=_set)
    mgr = TFManager(address=("127.0.0.1", 0) if mode == "remote" else None, authkey=authkey)
    mgr.start()
    return mgr


def connect(address, authkey):
    """A client of the manager at `address`."""
    for name in ("get_queue", "get", "set"):
        TFManager.register(name)
    client = TFManager(address, authkey=authkey)
    client.connect()
    return client
