"""What tasks write, as it is seen by those who follow: in order, whole, in its colours."""

import fcntl
import json
import re
import struct
import subprocess
import sys
import termios

import harness
import pytest

MIXED = """
import sys
for number in range(3000):
    print("step", number % 3)
    if number % 7 == 0:
        print("the same")
        print("the same")
"""

FAILS_DEEP = """
def fall(depth):
    if depth == 0:
        raise ValueError("at the bottom")
    fall(depth - 1)
fall(6)
"""


def lines_of(text, index):
    """The lines of worker:INDEX without their prefixes; folded lines count for each task they
    name."""
    found = []
    for prefix, line in re.findall(r"^worker:([\d,-]+) \| (.*)$", text, re.MULTILINE):
        spans = [part.split("-") for part in prefix.split(",")]
        if any(int(span[0]) <= index <= int(span[-1]) for span in spans):
            found.append(line)
    return found


def test_lines_of_one_task_come_in_their_order_and_number(muster, tmp_path):
    program = muster.write("mixed.py", MIXED)
    by_hand = [line for number in range(3000) for line in
               [f"step {number % 3}"] + (["the same"] * 2 if number % 7 == 0 else [])]
    done = muster("run", "-n", "3", "--", sys.executable, str(program)).expect(0)
    for index in range(3):
        assert lines_of(done.out, index) == by_hand


def test_a_traceback_that_all_tasks_print_reads_as_python_wrote_it(muster):
    program = muster.write("deep.py", FAILS_DEEP)
    # One that fails must not stop the others while they write.
    done = muster("run", "-n", "4", "--set", "roles.worker.failure=tolerated", "--",
                  sys.executable, str(program)).expect(1)
    for index in range(4):
        seen = lines_of(done.err, index)
        assert seen[0] == "Traceback (most recent call last):"
        assert seen[-1] == "ValueError: at the bottom"
        places = [line for line in seen if line.startswith("  File")]
        assert [line.rsplit(" ", 1)[1] for line in places[:2]] == ["<module>", "fall"]


def test_colours_pass_to_a_terminal_but_nothing_that_moves_the_cursor(muster):
    command = r"printf '\033[31mred\033[0m\033[2J\033[H plain\n'"
    seen = muster.start("run", muster.spec({"command": command, "tasks": 1}), terminal=True).wait()
    assert "\x1b[31mred\x1b[0m plain" in seen.out
    assert "\x1b[2J" not in seen.out and "\x1b[H" not in seen.out
    piped = muster.run({"command": command, "tasks": 2}).expect(0)
    assert "worker:0 | red plain\n" in piped.out


def test_a_progress_bar_is_seen_while_it_moves_and_once_at_its_end(muster, gate):
    command = rf"printf ' 10%%\r 40%%' >&2; {gate.wait}; printf '\r100%%\n' >&2"
    spec = muster.spec({"command": command, "tasks": 1})
    run = muster.start("run", spec, terminal=True)
    run.sees(r"worker:0 \|  40%")
    gate.open()
    assert "worker:0" in run.wait().expect(0).out
    piped = muster.run({"command": command, "tasks": 2}).expect(0)
    assert lines_of(piped.err, 0) == ["100%"]


def test_a_long_line_is_whole_in_a_file(muster):
    done = muster.run({"command": "head -c 300000 /dev/zero | tr '\\0' x; echo; echo end",
                       "tasks": 2}).expect(0)
    for index in range(2):
        assert "".join(lines_of(done.out, index)) == "x" * 300000 + "end"


# More than a master sends to a follower: 66 MB in 600000 lines, each written separately.
MANY_LINES = """
import os, sys
name = os.environ.get("MUSTER_INDEX", "0") if len(sys.argv) > 1 else "0"
for number in range(600000):
    os.write(1, b"%s: line %07d of many %s\\n" % (name.encode(), number, b"." * 87))
"""


def into_a_file(muster, *arguments, name="out"):
    """Runs muster with standard output to a file; returns the file's content and the standard
    error."""
    with open(muster.folder / name, "wb") as out:
        done = subprocess.run([harness.BINARY, *arguments], env=muster.environment,
                              cwd=muster.folder, stdout=out, stderr=subprocess.PIPE, check=False,
                              timeout=300)
    assert done.returncode == 0, done.stderr[-6000:]
    return (muster.folder / name).read_bytes(), done.stderr


def test_a_file_gets_everything_that_a_task_writes_as_by_hand(muster):
    program = muster.write("many.py", MANY_LINES)
    by_hand = subprocess.run([sys.executable, program], stdout=subprocess.PIPE, check=True).stdout
    assert len(by_hand) > 66_000_000
    seen, told = into_a_file(muster, "run", "-n", "1", "--", sys.executable, program)
    assert seen == by_hand
    assert b"missing" not in told and b"not shown" not in told


def test_a_file_gets_every_line_of_many_tasks_in_order(muster):
    program = muster.write("many.py", MANY_LINES)
    seen, _ = into_a_file(muster, "run", "-n", "2", "--", sys.executable, program, "own")
    lines = seen.decode().splitlines()
    for index in range(2):
        prefix = f"worker:{index} | {index}: line "
        numbers = [int(line[len(prefix):len(prefix) + 7]) for line in lines
                   if line.startswith(prefix)]
        assert numbers == list(range(600000))


def test_what_one_task_writes_passes_unchanged(muster):
    command = (r"printf '\0\001\r\r50%%\r\033[2J\033[31mred\033[0m\377'; "
               r"printf 'half \342\202'; printf '\254\n'; printf 'no newline'")
    by_hand = subprocess.run(["/bin/sh", "-c", command], stdout=subprocess.PIPE, check=True).stdout
    seen, _ = into_a_file(muster, "run", "-q", "-n", "1", "--", "/bin/sh", "-c", command)
    assert seen == by_hand
    silent, _ = into_a_file(muster, "run", "-q", "-n", "1", "--", "true")
    assert silent == b""


def test_both_streams_in_one_file_have_what_muster_says_on_lines_of_its_own(muster):
    done = subprocess.run([harness.BINARY, "run", "-n", "1", "--", "printf", "no newline"],
                          env=muster.environment, cwd=muster.folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=True)
    assert re.search(r"^no newline$", done.stdout, re.MULTILINE), done.stdout


def test_what_is_skipped_on_a_terminal_ends_at_the_start_of_a_line(muster):
    program = muster.write("many.py", MANY_LINES)
    run = muster.start("run", muster.spec({"command": f"{sys.executable} {program}", "tasks": 1}),
                       terminal=True)
    seen = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", run.wait().expect(0).out)
    # The lines above the status are redrawn repeatedly while they move.
    lines = re.findall(r"worker:0 \| ([^\n\r]*)\n(?!running:)", seen)
    skips = [line for line in lines if "not shown" in line]
    assert skips, "nothing was skipped: this terminal is too fast for the test"
    assert not [line for line in lines if "not shown" not in line
                and not re.fullmatch(r"0: line \d{7} of many \.{87}", line)]


def test_json_lines_tell_what_happens_and_what_tasks_write(muster):
    done = muster("run", "--json", "-n", "2", "--", "/bin/sh", "-c",
                  "echo 'a \"quote\"'; printf 'no newline'; echo bad >&2").expect(0)
    events = [json.loads(line) for line in done.out.splitlines()]
    assert events[0]["event"] == "submitted" and events[0]["job"] == muster.job()
    assert events[0]["schema"] == "muster.run/1"
    assert [each["phase"] for each in events if each["event"] == "phase"][:2] == [
        "gathering", "running"]
    for index in range(2):
        output = [(each["stream"], each["line"]) for each in events
                  if each["event"] == "output" and each["task"] == f"worker:{index}"]
        assert sorted(output) == [("stderr", "bad"), ("stdout", 'a "quote"'),
                                  ("stdout", "no newline")]
    assert events[-1]["event"] == "ended"
    assert events[-1]["status"]["outcome"]["result"] == "succeeded"


def test_json_lines_tell_each_state_of_each_task_once(muster):
    done = muster("run", "--json", "-n", "2", "--max-restarts", "1", "--", "/bin/sh", "-c",
                  'test "$MUSTER_INDEX$MUSTER_ATTEMPT" != 11').expect(0)
    tasks = [event for event in map(json.loads, done.out.splitlines()) if event["event"] == "task"]
    for index in range(2):
        told = [each for each in tasks if each["task"] == f"worker:{index}"]
        states = [(each["state"], each["attempt"], each.get("attempt_state")) for each in told]
        assert len(set(states)) == len(states), states
        assert states[0] == ("waiting", 0, None)
        assert ("active", 1, "running") in states
        assert states[-1] == ("succeeded", 1 + index, "ended"), states
        assert (told[-1]["exit_code"], told[-1]["signal"]) == (0, None)
        assert told[-1]["host"] and told[-1]["container"]


def test_a_reader_that_goes_away_stops_the_job(muster):
    script = f"'{harness.BINARY}' run -n 1 -- /bin/sh -c 'while :; do echo y; done' | head -n 1"
    done = subprocess.run(["/bin/bash", "-c", script + "; echo ${PIPESTATUS[0]} >&2"],
                          env=muster.environment, cwd=muster.folder, capture_output=True,
                          text=True, timeout=harness.PATIENCE, check=True)
    assert done.stdout == "y\n"
    assert done.stderr.splitlines()[-1] == "141", done.stderr
    assert muster.status()["outcome"]["result"] == "stopped"


def test_a_full_disk_behind_standard_output_is_told_once(muster):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([harness.BINARY, "run", "-n", "1", "--", "seq", "100000"],
                              env=muster.environment, cwd=muster.folder, stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=harness.PATIENCE,
                              check=False)
    assert done.returncode == 6
    assert done.stderr.count("No space left on device") == 1
    assert muster.status()["outcome"]["result"] == "succeeded"


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_are_nobody_elses(muster, closed):
    """The next file that is opened would get their numbers, and messages would go into it."""
    script = f'"$1" run -n 1 -- seq 3 {closed}; echo "status $?"'
    done = subprocess.run(["sh", "-c", script, "sh", harness.BINARY], env=muster.environment,
                          cwd=muster.folder, capture_output=True, text=True,
                          timeout=harness.PATIENCE, check=True)
    assert done.stdout == "status 6\n"
    if closed == ">&-":
        assert "cannot write to standard output: Bad file descriptor" in done.stderr
    assert muster.status()["outcome"]["result"] == "succeeded"
    assert muster.log_text("worker:0") == "1\n2\n3\n"


def test_a_pipe_hears_when_all_tasks_run(muster, gate):
    run = muster.start("run", "-n", "2", "--", "/bin/sh", "-c", gate.wait)
    run.sees(r"running: 2/2 tasks")
    gate.open()
    done = run.wait().expect(0)
    assert "stopping" not in done.err
    assert re.search(r"finishing: \d (task|container)s? (ending|exiting)", done.err)


def test_a_terminal_that_becomes_narrow_is_drawn_anew(muster, gate):
    command = f"printf ' {'x' * 60}'; {gate.wait}; echo"
    run = muster.start("run", muster.spec({"command": command, "tasks": 1}), terminal=True)
    run.sees(r"worker:0 \|  x{60}")
    fcntl.ioctl(run.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 20, 0, 0))
    run.sees(r"worker:0 \|  x{7}\nrunning: 1/1 t")
    gate.open()
    run.wait().expect(0)


def test_the_link_to_the_page_can_be_copied_where_it_wraps(muster):
    """It is longer than most terminals are wide: alone on its line it is one word."""
    run = muster.start("run", "-n", "1", "--", "true", terminal=True)
    done = run.wait().expect(0)
    assert re.search(r"^http://127\.0\.0\.1:\d+/#t=[0-9a-f]+$", done.out, re.MULTILINE), done.out


def test_a_terminal_gets_no_half_characters(muster, gate):
    """They come byte by byte, on a line that moves; sequences that clear the screen do not get
    through."""
    muster.write("bytes.py", """
import sys, time
for byte in "\\x1b[2Jgr\u00fc\u00df \u20ac \U0001f600".encode():
    sys.stdout.buffer.write(bytes([byte]))
    sys.stdout.buffer.flush()
    time.sleep(0.06)  # Longer than the pause between two drawings.
""")
    job = {"command": f"python3 bytes.py; {gate.wait}; echo", "files": ["bytes.py"], "tasks": 1}
    run = muster.start("run", muster.spec(job), terminal=True)
    run.sees("gr\u00fc\u00df \u20ac \U0001f600")
    gate.open()
    done = run.wait().expect(0)
    assert "\ufffd" not in done.out and "\x1b[2J" not in done.out


def test_a_program_that_only_returns_the_carriage_is_seen_as_it_moves(muster, gate):
    command = f"printf 'step 1\\rstep 2\\rstep 3\\r'; {gate.wait}"
    run = muster.start("run", muster.spec({"command": command, "tasks": 1}), terminal=True)
    run.sees(r"worker:0 \| step 3")
    gate.open()
    run.wait().expect(0)
