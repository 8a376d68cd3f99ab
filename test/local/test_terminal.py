"""muster shell in a terminal that keeps a screen, as people use it: tmux shows what they see."""

import os
import re
import shlex
import signal
import subprocess

import harness
import pytest

pytestmark = pytest.mark.usefixtures("stopped_jobs")

# Draws its whole screen once, and again when curses says that the size has changed; otherwise only
# what changes.
PICTURE = """
import curses
def main(window):
    curses.mousemask(curses.ALL_MOUSE_EVENTS)
    keys = 0
    while True:
        rows, columns = window.getmaxyx()
        window.erase()
        for row in range(10):
            window.addstr(row, 0, f"row {row} of the picture")
        window.addstr(11, 0, f"{rows} by {columns}; keys {keys};")
        window.refresh()
        key = window.getch()
        if key == ord("q"):
            return
        keys += key == curses.KEY_UP
        if key == ord("w"):
            for turn in range(100_000):  # More than is shown again to whoever joins.
                window.addstr(12, 0, f"written {turn}")
                window.refresh()
            keys += 1000
curses.wrapper(main)
"""
WHOLE_PICTURE = r"\A" + "".join(rf"row {row} of the picture\n" for row in range(10))


class Pane:
    """A command in a window of tmux, with the shell that it was started from."""

    def __init__(self, tmux, command):
        self.tmux = tmux
        self.id = tmux("new-window", "-d", "-P", "-F", "#{pane_id}", "sh").strip()
        self.line(command)

    @property
    def screen(self):
        return self.tmux("capture-pane", "-p", "-t", self.id)

    def type(self, text):
        self.tmux("send-keys", "-l", "-t", self.id, text)

    def keys(self, *names):
        self.tmux("send-keys", "-t", self.id, *names)

    def line(self, text):
        self.type(text)
        self.keys("Enter")

    def is_on(self, flag):
        return self.tmux("display-message", "-p", "-t", self.id, f"#{{{flag}}}").strip() == "1"

    def sees(self, pattern):
        return harness.eventually(
            lambda: re.search(pattern, self.screen, re.MULTILINE),
            what=lambda: f"{pattern!r} on the screen:\n{self.screen}")

    def close(self):
        self.tmux("kill-pane", "-t", self.id)


@pytest.fixture
def tmux(muster, tmp_path):
    """A terminal of 100 columns and 30 rows."""
    environment = {**muster.environment, "PS1": "here$ ", "SHELL": "/bin/sh"}

    def call(*arguments):
        return subprocess.run(["tmux", "-S", tmp_path / "tmux", "-f", "/dev/null", *arguments],
                              env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout

    call("new-session", "-d", "-x", "100", "-y", "30", "sh")
    yield call
    call("kill-server")


@pytest.fixture
def job(muster):
    muster("submit", muster.spec({"command": "exec sleep 1000", "tasks": 1})).expect(0)
    muster.wait_for_phase("running")
    return muster.job()


def shell(tmux, *arguments):
    words = shlex.join([str(harness.BINARY), "shell", "last", *arguments])
    return Pane(tmux, f"{words}; echo status=$?=")


def show_picture(pane, muster):
    program = muster.write("picture.py", PICTURE)
    pane.line(f"clear; python3 {program}")
    pane.sees(WHOLE_PICTURE + r"\n30 by 100; keys 0;")


def test_a_terminal_is_as_it_was_before(tmux, job):
    """A shell that reads it later must not find it non-blocking: cat would fail."""
    pane = shell(tmux)
    pane.sees("shell 1")
    pane.line("stty size; exit 3")
    pane.sees("^30 100$")
    pane.sees("^status=3=$")
    # /bin/sh makes it blocking again, and says so.
    pane.line(f"{harness.BINARY} exec last -- cat; cat; echo both=$?=")
    pane.line("one")
    pane.sees("one\none")
    pane.keys("C-d")
    pane.line("two")
    pane.sees("two\ntwo")
    pane.keys("C-d")
    pane.sees("both=0=")
    assert "NDELAY" not in pane.screen


def test_a_size_that_changes_reaches_the_programs(tmux, muster, job):
    pane = shell(tmux)
    pane.sees("shell 1")
    show_picture(pane, muster)
    tmux("resize-window", "-t", pane.id, "-x", "90", "-y", "25")

    def resized():
        # curses checks for the signal, then waits for a key: a change in between is seen only after
        # the key.
        pane.keys("x")
        return "25 by 90;" in pane.screen

    harness.eventually(resized, what=lambda: f"its size on the screen:\n{pane.screen}", pause=0.2)


def test_a_screen_is_drawn_anew_when_the_master_died(tmux, muster, job):
    pane = shell(tmux)
    pane.sees("shell 1")
    show_picture(pane, muster)
    [master] = muster.pids("master")
    os.kill(master, signal.SIGKILL)
    harness.eventually(lambda: muster.pids("master") not in ([], [master]))
    # The message about it is gone, and keys reach the program.
    pane.sees(WHOLE_PICTURE + r"\n30 by 100; keys \d+;\s*\Z")
    pane.keys("Up")
    pane.sees("keys 1;")


def test_another_terminal_is_like_the_one_that_was_left(tmux, muster, job):
    """Screen, mouse and cursor keys, however much has been written since they were switched."""
    first = shell(tmux)
    first.sees("shell 1")
    show_picture(first, muster)
    first.type("w")
    first.sees("keys 1000;")
    first.keys("C-]")
    first.keys("d")
    first.sees("^status=0=$")
    # The first one is as before.
    for flag in ("alternate_on", "mouse_any_flag", "keypad_cursor_flag"):
        assert not first.is_on(flag), flag
    second = shell(tmux, "--join", "1")
    second.sees(WHOLE_PICTURE + r"\n30 by 100; keys \d+;\s*\Z")
    for flag in ("alternate_on", "mouse_any_flag", "keypad_cursor_flag"):
        assert second.is_on(flag), flag
    second.keys("Up")
    second.sees("keys 1001;")
    second.type("q")
    harness.eventually(lambda: not second.is_on("alternate_on"))
    second.line("exit 4")
    second.sees("^status=4=$")


def test_a_closed_terminal_leaves_the_shell(tmux, muster, job):
    first = shell(tmux)
    first.sees("shell 1")
    show_picture(first, muster)
    first.close()
    harness.eventually(lambda: muster("shell", job, "--list", "--json").json()
                       ["shells"][0]["left_ms"] is not None)
    second = shell(tmux, "--join", "0")
    second.sees(WHOLE_PICTURE)


def test_a_task_that_ends_takes_the_shell_along_and_says_so(tmux, muster, job):
    pane = shell(tmux)
    pane.sees("shell 1")
    show_picture(pane, muster)
    muster("stop", job).expect(0)
    pane.sees("^muster: .*has ended")
    pane.sees(r"^status=\d+=$")
    assert not pane.is_on("alternate_on")


def test_what_was_shown_before_a_program_that_is_cut_off_is_not_written_over(tmux, muster, job):
    pane = shell(tmux)
    pane.sees("shell 1")
    program = muster.write("picture.py", PICTURE)
    pane.line(f"for i in $(seq 101 140); do echo line $i {'of many words ' * 4}; done; "
              f"python3 {program}")
    pane.sees(WHOLE_PICTURE)
    muster("stop", job).expect(0)
    pane.sees(r"^line 140 (of many words ?){4}\n+muster: .* has ended, and the shell with it\n"
              r"status=\d+=\n")
