"""A server that adds numbers up, and clients that send it some.

MUSTER_PORT is the port reserved for this task, MUSTER_VIEW_FILE a JSON file with the addresses of
all tasks: {"server": ["host:port"], "client": ["host:port", "host:port"]}.
"""

import json
import os
import socket
import sys


def serve():
    total = 0
    with socket.create_server(("", int(os.environ["MUSTER_PORT"])), reuse_port=True) as server:
        print("serving", flush=True)
        while True:
            connection, _ = server.accept()
            with connection, connection.makefile("rw") as stream:
                total += int(stream.readline())
                stream.write(f"{total}\n")


def ask():
    with open(os.environ["MUSTER_VIEW_FILE"], encoding="utf-8") as view:
        host, port = json.load(view)["server"][0].rsplit(":", 1)
    for number in range(1, 6):
        # The server's task has started, but its program may need a moment until it listens.
        with connect(host, int(port)) as connection, connection.makefile("rw") as stream:
            stream.write(f"{number}\n")
            stream.flush()
            print(f"sent {number}, the sum is {stream.readline().strip()}", flush=True)


def connect(host, port):
    import time

    give_up = time.monotonic() + 30
    while True:
        try:
            return socket.create_connection((host, port), timeout=10)
        except ConnectionRefusedError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.1)


if __name__ == "__main__":
    {"serve": serve, "ask": ask}[sys.argv[1]]()
