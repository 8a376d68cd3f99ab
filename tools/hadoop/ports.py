"""Ports that stay ours: below the ephemeral range, bound by us, and yet free for the daemons."""

import pathlib
import random
import socket

LOWEST = 10000


def held(count):
    """Returns `count` sockets, each bound to a loopback port of its own; close them to give those
    back.

    A socket is first bound exclusively, so a port that anybody uses is skipped. After that the port
    may be shared: a daemon, which binds with SO_REUSEADDR as every Java server does, can listen
    there however often it is restarted, while a program that asks for any free port never gets it.
    """
    range_of_kernel = pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    candidates = list(range(LOWEST, max(int(range_of_kernel[0]), LOWEST + 1000)))
    random.shuffle(candidates)
    sockets = []
    for port in candidates:
        if len(sockets) == count:
            return sockets
        holder = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            holder.bind(("127.0.0.1", port))
        except OSError:
            holder.close()
            continue
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sockets.append(holder)
    raise OSError(f"no {count} free ports below {range_of_kernel[0]}")
