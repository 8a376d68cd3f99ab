"""muster notebook, with Jupyter's server alone: a cell runs through the tunnel."""
# timeout: 900

import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading

import harness
import pytest
import siege
from jupyter_api import api, run_cell

LINK = r"http://127\.0\.0\.1:(\d+)/tree\?token=(\S+)"


@pytest.fixture
def muster(muster, python):
    muster.environment["PATH"] = f"{python.parent}:{muster.environment['PATH']}"
    # An environment without JupyterLab has only the server.
    muster.write("site/sitecustomize.py", "import sys\nsys.modules['jupyterlab'] = None\n")
    muster.environment["PYTHONPATH"] = str(muster.folder / "site")
    yield muster
    jobs = [entry["job"] for entry in muster("ps", "--json").expect(0).json()["jobs"]]
    if jobs:
        muster("stop", *jobs).expect(0)


def test_a_cell_runs_through_the_tunnel_which_outlives_the_master(muster):
    running = muster.start("notebook")
    port, token = running.sees(LINK).groups()
    port = int(port)
    kernel = api(port, token, "kernels", "POST", {"name": "python3"})["id"]
    assert run_cell(port, token, kernel, "x = 6 * 7; print(x)") == "42\n"
    # The token is in nobody's command line, environment or log.
    for pid, line in muster.processes().items():
        assert token not in line
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # It has ended meanwhile.
            environment = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
            assert token.encode() not in environment
    job = muster.job()
    assert token not in muster("logs", job).expect(0).text
    assert token not in muster("show", job, "--json").expect(0).text
    # It lives on when the master dies.
    os.kill(muster.pids("master")[0], signal.SIGKILL)
    running.sees("connected again")
    assert run_cell(port, token, kernel, "print(x + 1)") == "43\n"
    # The client leaves it, and comes back.
    running.signal(signal.SIGINT)
    running.wait().expect(128 + signal.SIGINT)
    again = muster.start("notebook", job)
    port, same = again.sees(LINK).groups()
    assert same == token
    assert run_cell(int(port), token, kernel, "print(x)") == "42\n"
    muster("stop", job).expect(0)
    assert "ended" in again.wait().expect(6).err


PORTS = ("shell_port", "iopub_port", "stdin_port", "hb_port", "control_port")
# Another program of the same user, such as `jupyter console --existing FILE`.
CONSOLE = """
import sys
from jupyter_client import BlockingKernelClient
client = BlockingKernelClient(connection_file=sys.argv[1])
client.load_connection_file()
client.start_channels()
client.wait_for_ready(100)
client.execute_interactive("print(x)", timeout=100)
"""


def connection_of(muster, kernel):
    (file,) = muster.folder.rglob(f"kernel-{kernel}.json")
    return file, json.loads(file.read_text())


def places_of(told):
    """Where a kernel listens."""
    return [f"{told['ip']}-{told[name]}" if told["transport"] == "ipc" else told[name]
            for name in PORTS]


def test_another_user_reads_nothing_of_its_kernels(muster, python):
    """Whoever could connect would see the code that they run, and everything that they print."""
    if os.geteuid() != 0:
        pytest.skip("changing the user needs root")
    # Nobody knows whether kernels other than ipykernel, or kernels started by something else, can
    # use anything but ports.
    muster.write("share/kernels/wrapped/kernel.json", json.dumps({
        "argv": ["sh", "-c", 'exec python3 -m ipykernel_launcher -f "$0"', "{connection_file}"],
        "display_name": "wrapped", "language": "python"}))
    muster.environment["JUPYTER_PATH"] = str(muster.folder / "share")
    running = muster.start("notebook")
    port, token = running.sees(LINK).groups()
    port = int(port)
    kernel = api(port, token, "kernels", "POST", {"name": "python3"})["id"]
    assert run_cell(port, token, kernel, "x = 6 * 7; print(x)") == "42\n"
    file, told = connection_of(muster, kernel)
    assert siege.heard_at(places_of(told), *siege.AS_ANOTHER_USER) == ["PermissionError"] * 5
    assert siege.heard_at(places_of(told)) == ["ff"] * 5
    # It has one port of its own, to which its children send their output.
    (pid,) = (pid for pid, line in muster.processes().items()
              if re.search(r"-m ipykernel_launcher -f", line))
    assert len(harness.listening(pid)) == 1
    done = subprocess.run([python, "-c", CONSOLE, file], env=muster.environment, check=True,
                          capture_output=True, text=True, timeout=harness.PATIENCE)
    assert done.stdout == "42\n"
    # It can be interrupted and started again.
    begun = muster.folder / "begun"
    sleeps = threading.Thread(target=run_cell, args=(
        port, token, kernel, f"import time; open('{begun}', 'w'); time.sleep(1000)"))
    sleeps.start()
    harness.eventually(begun.exists)
    api(port, token, f"kernels/{kernel}/interrupt", "POST")
    sleeps.join(harness.PATIENCE)
    assert not sleeps.is_alive()
    api(port, token, f"kernels/{kernel}/restart", "POST")
    assert run_cell(port, token, kernel, "print('x' in globals())") == "False\n"
    assert siege.heard_at(places_of(told), *siege.AS_ANOTHER_USER) == ["PermissionError"] * 5
    other = api(port, token, "kernels", "POST", {"name": "wrapped"})["id"]
    assert run_cell(port, token, other, "print(1)") == "1\n"
    assert connection_of(muster, other)[1]["transport"] == "tcp"
    # What they had goes with them, and with the server.
    api(port, token, f"kernels/{kernel}", "DELETE")
    assert not any(pathlib.Path(place).exists() for place in places_of(told))
    assert pathlib.Path(told["ip"]).parent.is_dir()
    muster("stop", muster.job()).expect(0)
    assert "ended" in running.wait().expect(6).err
    harness.eventually(lambda: not pathlib.Path(told["ip"]).parent.exists())


# A browser's cookies, and the place where they open the server.
SIGNED_IN = """
import http.client, sys
port, cookie = sys.argv[1:]
try:
    peer = http.client.HTTPConnection("127.0.0.1", int(port), timeout=60)
    peer.request("GET", "/api/contents", headers={"Cookie": cookie})
    print(peer.getresponse().status)
except OSError:
    print("closed")
"""


def test_a_cookie_or_a_token_opens_nothing_for_another_user(muster):
    """Whoever takes over the port of a `muster notebook` is sent them by a page that is still
    open."""
    if os.geteuid() != 0:
        pytest.skip("changing the user needs root")
    running = muster.start("notebook")
    port, token = running.sees(LINK).groups()
    (server,) = (pid for pid, line in muster.processes().items()
                 if re.search(r"-m jupyter_server --config=", line))
    ((_, its_port),) = harness.listening(server)
    link = http.client.HTTPConnection("127.0.0.1", int(port), timeout=harness.PATIENCE)
    link.request("GET", f"/api/contents?token={token}", headers={"Host": f"127.0.0.1:{its_port}"})
    answer = link.getresponse()
    assert answer.status == 200
    cookie = "; ".join(each.split(";")[0] for each in answer.headers.get_all("Set-Cookie"))
    link.close()

    def opened(port, *who):
        return subprocess.run([*who, sys.executable, "-c", SIGNED_IN, str(port), cookie],
                              check=True, capture_output=True, text=True,
                              timeout=harness.PATIENCE).stdout.strip()

    assert opened(its_port) == "200"
    for place in (its_port, port):
        assert opened(place, *siege.AS_ANOTHER_USER) == "closed"
    running.signal(signal.SIGINT)
    running.wait().expect(128 + signal.SIGINT)
    assert opened(its_port, *siege.AS_ANOTHER_USER) == "closed"


def test_it_shows_the_persons_folder_and_ends_when_nobody_uses_it(muster):
    muster.write("mine.txt", "hello")
    running = muster.start("notebook", "--idle", "1s", "--name", "short")
    port, token = running.sees(LINK).groups()
    assert "mine.txt" in [each["name"] for each in api(port, token, "contents")["content"]]
    # Jupyter checks once a minute.
    assert "ended" in running.wait(within=300).expect(6).err


def test_a_job_that_is_no_notebook_says_so(muster):
    muster("submit", "-n", "1", "--", "sleep", "1000").expect(0)
    muster.wait_for_phase("running")
    done = muster("notebook", muster.job(), within=60).expect(2)
    assert f"{muster.job()} is not running a notebook" in done.err


def test_an_environment_without_jupyter_is_said_before_anything_is_asked(muster):
    muster.environment["PATH"] = "/usr/bin:/bin"
    muster("notebook").expect_error(2, "no Jupyter", "pip install jupyterlab")
    assert muster.jobs() == []
    muster("notebook", "--idle", "soon").expect_error(2, "--idle")
    refused = muster("notebook", "nothing-abc").expect_error(2, "no such job")
    assert "muster logs" not in refused.err
