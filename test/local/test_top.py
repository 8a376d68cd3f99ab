# timeout: 300
"""`muster top` on a real terminal (pty), read by an emulator of terminals (pyte)."""

import fcntl
import json
import signal
import struct
import termios

import pyte
from harness import eventually


class Terminal:
    """What a person sees of a running command, on a terminal that does what pyte does: pyte knows
    nothing of CSI S, by which others scroll.
    """

    def __init__(self, muster, *arguments, columns=100, rows=24, env=None):
        self.columns, self.rows = columns, rows
        self.running = muster.start(*arguments, terminal=True,
                                    env={"TERM": "linux", **(env or {})})
        self.resize(columns, rows)

    def resize(self, columns, rows):
        self.columns, self.rows = columns, rows
        fcntl.ioctl(self.running.terminal, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))
        self.running.signal(signal.SIGWINCH)

    def lines(self):
        screen = pyte.Screen(self.columns, self.rows)
        pyte.Stream(screen).feed(self.running.text)
        return [line.rstrip() for line in screen.display]

    def shows(self, *texts, without=()):
        def probe():
            text = "\n".join(self.lines())
            return all(each in text for each in texts) and not any(each in text
                                                                  for each in without) and text

        return eventually(probe, what=lambda: f"{texts} in\n" + "\n".join(self.lines()))

    def leave(self, keys=b"q"):
        self.running.type(keys)
        return self.running.wait()


def job(muster, gate, **top):
    running = muster.start("run", muster.spec({
        "command": gate.wait, "roles": {"ps": {"tasks": 1}, "worker": {"tasks": 2}}, **top}))
    muster.wait_for_phase("running")
    return running


def test_the_table_and_its_keys(muster, gate):
    running = job(muster, gate)
    terminal = Terminal(muster, "top", "last")
    text = terminal.shows(muster.job(), "3 tasks, 3 active", "- worker (2)", "worker:1", "CPU",
                          "MEMORY", "q quit")
    assert "\x1b" not in text
    terminal.running.type(b"/worker:1\r")
    terminal.shows("worker:1", "filter: worker:1", without=["worker:0", "ps:0"])
    terminal.running.type(b"\x1b")
    terminal.shows("worker:0", "ps:0")
    # Home, down to ps:0, fold its role, to the end.
    terminal.running.type(b"\x1b[H\x1b[B \x1b[F")
    terminal.shows("+ ps (1)", without=["ps:0"])
    terminal.running.type(b"h")
    terminal.shows("Keys of muster top", "sort by memory")
    terminal.running.type(b"x")
    terminal.shows("worker:0", without=["Keys of muster top"])
    terminal.running.type(b"PMNGSR")
    terminal.shows("worker:0")
    assert terminal.leave().code == 0
    gate.open()
    running.wait().expect(0)


def test_small_and_resized(muster, gate):
    running = job(muster, gate)
    terminal = Terminal(muster, "top", "last", columns=20, rows=6)
    terminal.shows("worker")
    assert all(len(line) <= 20 for line in terminal.lines())
    terminal.resize(120, 30)
    terminal.shows("HOST", "STATE", "worker:1")
    terminal.resize(1, 1)
    terminal.resize(80, 10)
    terminal.shows("worker:1", "STATE")
    terminal.running.type(b"\x03")  # Ctrl-C leaves and touches nothing.
    assert terminal.running.wait().code == 0
    assert muster.status()["phase"] == "running"
    gate.open()
    running.wait().expect(0)


def test_all_jobs_and_the_end(muster, gate):
    running = job(muster, gate)
    second = muster.start("run", muster.spec({"command": gate.wait, "tasks": 1,
                                              "name": "second"}, "second.yaml"))
    eventually(lambda: len(muster.jobs()) == 2)
    terminal = Terminal(muster, "top")
    terminal.shows("2 jobs", "second", "4 tasks")
    gate.open()
    running.wait().expect(0)
    second.wait().expect(0)
    terminal.shows("no job is running")
    assert terminal.leave().code == 0


def test_without_a_terminal_it_prints_once(muster, gate):
    running = job(muster, gate)
    printed = muster("top", "last").expect(0).out
    assert "TASK" in printed and "worker:1" in printed and "\x1b" not in printed
    document = muster("top", "--json").expect(0).json()
    assert document["schema"] == "muster.top/1"
    (shown,) = document["jobs"]
    assert (shown["job"], shown["phase"]) == (muster.job(), "running")
    tasks = shown["roles"]["worker"]["tasks"]
    assert [task["index"] for task in tasks] == [0, 1]
    assert tasks[0]["state"] == "active"
    assert set(tasks[0]) == {"index", "state", "attempt", "host", "cpu", "memory_bytes",
                             "memory_limit_bytes", "gpu", "step", "max_steps",
                             "steps_per_second"}
    eventually(lambda: muster("top", "last", "--json").json()["jobs"][0]["roles"]["worker"]["tasks"]
               [0]["memory_bytes"])
    # Terminals that cannot move their cursor get the same.
    for term in ("dumb", ""):
        done = Terminal(muster, "top", "last", env={"TERM": term}).running.wait()
        assert done.code == 0 and "worker:1" in done.out and "printing the table once" in done.out
    gate.open()
    running.wait().expect(0)
    muster("top", "last").expect_error(2, "has ended", "muster metrics")
    assert json.loads(muster("top", "--json").expect(0).out)["jobs"] == []
    assert muster("top").expect(0).out == "no job is running\n"


def test_without_a_database_of_terminals(muster, gate, tmp_path):
    running = job(muster, gate)
    # A terminal type that no database has; its name suggests that it is like xterm.
    terminal = Terminal(muster, "top", "last", env={"TERM": "xterm-unheard-of"})
    terminal.shows("worker:1", "q quit")
    assert terminal.leave().code == 0
    gate.open()
    running.wait().expect(0)
