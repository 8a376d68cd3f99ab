"""Who owns the other ends of connections within this host. Sent along by programs that listen only
for their user (provisioner.py, notebook_program.h): uses only the standard library, for any Python
from 3.7 on.
"""

import os
import socket
import struct

# linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h, net/tcp_states.h
NETLINK_SOCK_DIAG = 4
SOCK_DIAG_BY_FAMILY = 20
NLM_F_REQUEST = 1
HEAD = struct.Struct("=IHHII")  # nlmsghdr
LISTENING = 10
NOBODY = -1


def is_of_this_user(connection):
    """Whether the other end of a connection within this host is this user's, or root's. True if the
    kernel does not say."""
    try:
        here, there = connection.getsockname(), connection.getpeername()
    except OSError:  # It has ended.
        return False
    try:
        user = ask_kernel(there, here)
        if user is None and ask_kernel(here, there) is not None:
            user = NOBODY  # The kernel knows our end, and would know the other.
    except OSError:
        user = None
    if user is None:
        try:
            user = look_up(there, here)
        except FileNotFoundError:
            return True
        except (OSError, ValueError, IndexError):
            return False
    return user in (0, os.getuid())


def ask_kernel(local, remote):
    """Who holds the socket with these ends; None if the kernel does not say. Takes the same short
    time however many connections there are."""
    ends = struct.pack("!HH4s12x4s12x", local[1], remote[1], socket.inet_aton(local[0]),
                       socket.inet_aton(remote[0]))
    asked = struct.pack("=BBBxI", socket.AF_INET, socket.IPPROTO_TCP, 0, 0xFFFFFFFF) + ends
    asked += struct.pack("=III", 0, 0xFFFFFFFF, 0xFFFFFFFF)  # Any interface and cookie.
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG) as kernel:
        kernel.send(HEAD.pack(HEAD.size + len(asked), SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, 0, 0)
                    + asked)
        answer = kernel.recv(8192, socket.MSG_DONTWAIT)
    if HEAD.unpack_from(answer)[1] != SOCK_DIAG_BY_FAMILY or answer[HEAD.size + 1] == LISTENING:
        return None
    user, inode = struct.unpack_from("=II", answer, HEAD.size + 64)
    return user if inode else NOBODY


def look_up(local, remote):
    """The same through the kernel's table, which takes longer the more connections there are."""
    def written(address):
        (number,) = struct.unpack("=I", socket.inet_aton(address[0]))
        return f"{number:08X}:{address[1]:04X}"

    ends = [written(local), written(remote)]
    with open("/proc/net/tcp") as table:
        for line in table:
            words = line.split()
            if words[1:3] == ends and words[9] != "0":
                return int(words[7])
    return NOBODY
