"""Feeds a node through the queues of its manager, one row at a time.

For nodes that TFSparkNode.run() started; those of TFCluster.run() have the ring (muster.feed).
"""

import contextlib
import logging
import threading
import time
from queue import Empty

from . import marker

logger = logging.getLogger(__name__)

_LOOK_SECONDS = 0.2


def peek_error(manager):
    """The words of a failed map_fun; None if there is none. They stay for whoever asks later."""
    errors = manager.get_queue("error")
    if not hasattr(errors, "get"):
        return None
    try:
        words = errors.get(block=False)
    except Empty:
        return None
    errors.task_done()
    errors.put(words)
    return words


def raise_error(manager):
    """Exception with the words of a failed map_fun, if it has failed."""
    words = peek_error(manager)
    if words is not None:
        raise Exception(f"Exception in worker:\n{words}")


def open_queue(manager, qname):
    """The queue of that name. Exception if the node has none."""
    queue = manager.get_queue(qname)
    if not hasattr(queue, "put"):
        raise Exception(
            f"Queue '{qname}' not found on this node, check for exceptions on other nodes."
        )
    return queue


def is_terminating(manager):
    """Whether the program wants no more rows."""
    return str(manager.get("state")) == "'terminating'"


def feed(manager, qname, rows, timeout):
    """Feeds rows and waits until they were read. Returns whether the program wants no more: then
    rows are discarded. Exception with the program's words, or "Timeout while feeding partition"
    after `timeout` seconds without the last row read.
    """
    queue = open_queue(manager, qname)
    if is_terminating(manager):
        logger.info("the program wants no more rows: %d discarded", sum(1 for _ in rows))
        return True
    _put_all(manager, queue, rows)
    _await_read(manager, queue, timeout)
    return is_terminating(manager)


def infer(manager, qname, rows, timeout):
    """Feeds rows and returns one result for each."""
    queue = open_queue(manager, qname)
    count = _put_all(manager, queue, rows)
    queue.put(marker.EndPartition(), block=True)
    if count == 0:
        return []
    _await_read(manager, queue, timeout)
    return _collect(manager, open_queue(manager, "output"), count, timeout)


def _put_all(manager, queue, rows):
    count = 0
    looked = time.monotonic()
    for row in rows:
        queue.put(row, block=True)
        count += 1
        if time.monotonic() - looked > _LOOK_SECONDS:
            raise_error(manager)
            looked = time.monotonic()
    return count


def _await_read(manager, queue, timeout):
    read = threading.Event()

    def join():
        with contextlib.suppress(OSError, EOFError):  # The manager has ended: the wait times out.
            queue.join()
            read.set()

    threading.Thread(target=join, daemon=True).start()
    deadline = time.monotonic() + timeout
    while not read.wait(_LOOK_SECONDS):
        raise_error(manager)
        if time.monotonic() > deadline:
            raise Exception(
                f"Timeout while feeding partition: not all rows were read after {timeout:g} s"
            )


def _collect(manager, queue, count, timeout):
    results = []
    deadline = time.monotonic() + timeout
    while len(results) < count:
        try:
            results.append(queue.get(block=True, timeout=_LOOK_SECONDS))
        except Empty:
            raise_error(manager)
            if time.monotonic() > deadline:
                raise Exception(
                    f"Timeout while feeding partition: {len(results)} results of {count} rows "
                    f"after {timeout:g} s; inference needs one for each row"
                ) from None
            continue
        queue.task_done()
    return results
