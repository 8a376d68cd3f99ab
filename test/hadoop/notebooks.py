"""A notebook in a container of YARN, as tests on several beds use it."""

import http.client
import os
import signal

from jupyter_api import api, run_cell
from waiting import until
from yarn_jobs import RUN_LIMIT, processes_in

LINK = r"http://127\.0\.0\.1:(\d+)/lab\?token=(\S+)"


def begin(yarn, python, name, *options):
    return yarn.start("notebook", "--on", "yarn", "--name", name, "--memory", "512m",
                      "--set", f"python.interpreter={python}", *options)


def start(yarn, python, name, *options):
    """A new notebook; returns the command, the port and the token."""
    running = begin(yarn, python, name, *options)
    port, token = running.sees(LINK, RUN_LIMIT).groups()
    return running, int(port), token


def save(port, token, path, text):
    """As JupyterLab does when somebody presses Ctrl-S."""
    api(port, token, f"contents/{path}", "PUT",
        {"type": "file", "format": "text", "content": text})


def text_of(port, token, path):
    return api(port, token, f"contents/{path}")["content"]


def expect_a_life(yarn, bed, python):
    """A cell counts, its master dies, it goes on counting; what is saved before and after is in
    HDFS."""
    name = f"life-{os.getpid()}"
    folder = f"/user/alice/notebooks/{name}"

    def kept(path):
        return bed.shell("fs", "-cat", f"{folder}/{path}").out

    running, port, token = start(yarn, python, name)
    kernel = api(port, token, "kernels", "POST", {"name": "python3"})["id"]
    assert run_cell(port, token, kernel, "n = 41; print(n)") == "41\n"
    save(port, token, "before.txt", "saved")
    until(lambda: kept("before.txt") == "saved", 60, "what was saved is kept")
    masters = set(processes_in(bed, "muster master"))
    for master in masters:
        os.kill(master, signal.SIGKILL)
    until(lambda: set(processes_in(bed, "muster master")) - masters, RUN_LIMIT,
          "there is another master")
    # The tunnel is the same, and so is the kernel.
    until(lambda: answers(port, token), RUN_LIMIT, "the notebook answers")
    assert run_cell(port, token, kernel, "n += 1; print(n)") == "42\n"
    save(port, token, "after.txt", "saved, too")
    until(lambda: kept("after.txt") == "saved, too", 60, "what was saved later is kept")
    yarn("stop", yarn.job(), within=RUN_LIMIT).expect(0)
    assert "ended" in running.wait(RUN_LIMIT).expect(6).err


def answers(port, token):
    try:
        return api(port, token, "kernels")
    except (OSError, http.client.HTTPException):
        return None
