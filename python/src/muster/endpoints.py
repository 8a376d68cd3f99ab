"""A task's own pages: for example a dashboard that people reach through the job's link."""

import os
import socket

PATIENCE = 10


class PublishError(ValueError):
    """The agent refuses a name, a port or a path; the message says why."""


def publish(name, port, path="/"):
    """Publishes the page that this task serves on `port`, under `name`, until the task ends.

    People find it in `muster status` and on the job's page, which passes their browsers' requests
    on to it; listen on 127.0.0.1. `path` is the page to begin with. Publishing a name again
    replaces its page. Returns False in a program that was not started by a Muster agent, else True.
    """
    address = os.environ.get("MUSTER_PUBLISH", "")
    if not address:
        return False
    line = f"{name} {int(port)} {path}\n"
    if len(line.split()) != 3 or line.count("\n") != 1:
        raise PublishError(f"a name or path must not contain blanks: {name!r}, {path!r}")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as agent:
        agent.settimeout(PATIENCE)
        agent.connect("\0" + address[1:] if address.startswith("@") else address)
        agent.sendall(line.encode())
        answer = b""
        while not answer.endswith(b"\n"):
            piece = agent.recv(4096)
            if not piece:
                raise ConnectionError("the agent did not answer")
            answer += piece
    text = answer.decode(errors="replace").strip()
    if text != "ok":
        raise PublishError(text.removeprefix("error: ") if hasattr(text, "removeprefix")
                           else text.replace("error: ", "", 1))
    return True
