# timeout: 300
"""What programs report about themselves: event files of TensorBoard, lines on the report socket,
`muster.report`; as series of `muster metrics` and in `muster status`."""

import json
import shlex

from harness import REPOSITORY, eventually

PYTHON = "/usr/bin/python3"

# By hand, as from another language: a good line, a bad one, and the replies.
BY_HAND = """
import os, socket
line = socket.socket(socket.AF_UNIX)
line.connect(os.environ["MUSTER_REPORT"])
line.settimeout(60)
line.sendall(b'{"step": 7, "max_steps": 10, "loss": 0.5, "bad": NaN}\\n')
line.sendall(b'no json\\n')
print(line.makefile().readline().strip(), flush=True)
line.sendall(b'{"last": 3}')
"""

BY_PACKAGE = """
import muster
for step in range(1, 1001):
    muster.report(step=step, max_steps=1000, loss=1.0 / step, odd=object(),
                  **{"train/accuracy": step / 1000})
"""

def last_values(muster, *tasks):
    """The last value of each series that programs reported, by (task, name)."""
    done = muster("metrics", "last", *tasks, "--name", "user.", "--json").expect(0)
    rows = [json.loads(line) for line in done.out.splitlines()]
    return {(row["task"], row["name"]): row["value"] for row in rows}


def program(muster, name, text):
    return f"{PYTHON} {shlex.quote(str(muster.write(name, text)))}"


def test_lines_on_the_socket_become_series(muster):
    muster.run_shell(program(muster, "by_hand.py", BY_HAND)).expect(0)
    assert json.loads(muster.log_text("worker:0")) == {
        "error": "the line must be a JSON object of numbers, as in "
                 '{"step": 120, "loss": 0.25}'}
    values = last_values(muster)
    assert values["worker:0", "user.step"] == 7
    assert values["worker:0", "user.step.max"] == 10
    assert values["worker:0", "user.loss"] == 0.5
    assert values["worker:0", "user.last"] == 3
    assert ("worker:0", "user.bad") in values
    status = muster("status", "last").expect(0).out
    assert "progress: step 7 of 10 (70 %)" in status and "loss 0.5" in status, status
    assert "bad nan" in status, status
    # The socket does not outlive the attempt.
    assert not list(muster.home.rglob("*muster-report*"))


def test_the_package_reports(muster):
    command = program(muster, "by_package.py", BY_PACKAGE)
    spec = {"command": command, "tasks": 2, "env": {"PYTHONPATH": str(REPOSITORY / "python/src")}}
    done = muster.run(spec).expect(0)
    assert done.text.count("odd must be a number, not object") >= 1
    values = last_values(muster)
    for task in ("worker:0", "worker:1"):
        assert values[task, "user.step"] == 1000
        assert values[task, "user.step.max"] == 1000
        assert values[task, "user.loss"] == 0.001
        assert values[task, "user.train/accuracy"] == 1
        assert (task, "user.odd") not in values


def test_the_package_does_nothing_outside_a_job(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(REPOSITORY / "python/src")
    monkeypatch.delenv("MUSTER_REPORT", raising=False)
    import muster
    muster.report(step=1, loss=2)
    monkeypatch.setenv("MUSTER_REPORT", str(tmp_path / "nobody"))
    muster.report(step=1, loss=float("nan"))


def test_a_program_that_floods_is_not_held_up(muster):
    flood = """
import os, socket
line = socket.socket(socket.AF_UNIX)
line.connect(os.environ["MUSTER_REPORT"])
for step in range(200000):
    line.sendall(b'{"step": %d, "name%d": 1}\\n' % (step, step))
"""
    muster.run_shell(program(muster, "flood.py", flood)).expect(0)
    values = last_values(muster)
    assert values["worker:0", "user.step"] == 199999
    assert len(values) <= 100


def test_event_files_become_series(muster):
    write = """
import os, pathlib, struct, time
def masked(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF
def framed(data):
    length = struct.pack("<Q", len(data))
    return (length + struct.pack("<I", masked(length)) + data + struct.pack("<I", masked(data)))
def event(step, tag, value):
    inner = b"\\x0a" + bytes([len(tag)]) + tag + b"\\x15" + struct.pack("<f", value)
    summary = b"\\x0a" + bytes([len(inner)]) + inner
    return framed(b"\\x09" + struct.pack("<d", time.time()) + b"\\x10" + bytes([step])
                  + b"\\x2a" + bytes([len(summary)]) + summary)
for run in ("", "eval"):
    folder = pathlib.Path(os.environ["TB_LOG_DIR"]) / run
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / f"events.out.tfevents.1.host.{os.getpid()}.0", "wb") as file:
        for step in range(1, 51):
            file.write(event(step, b"loss", 100 - step))
        file.write(event(50, b"nan", float("nan")))
        file.write(b"torn")
"""
    spec = {"command": program(muster, "events.py", write), "tasks": 1,
            "tensorboard": {"logdir": "runs"}}
    muster.run(spec).expect(0)
    values = last_values(muster)
    assert values["worker:0", "user.loss"] == 50
    assert values["worker:0", "user.step"] == 50
    assert values["worker:0", "user.eval/loss"] == 50
    assert ("worker:0", "user.nan") in values


def test_progress_of_a_running_job(muster, gate):
    wait = f"""
import os, socket, time
line = socket.socket(socket.AF_UNIX)
line.connect(os.environ["MUSTER_REPORT"])
step = 0
while not os.path.exists({str(gate.path)!r}):
    step += 1
    line.sendall(b'{{"step": %d, "loss": 2}}\\n' % step)
    time.sleep(0.05)
"""
    running = muster.start("run", muster.spec({"command": program(muster, "wait.py", wait),
                                               "tasks": 1}))
    text = eventually(lambda: (found := muster("status", "last").out) and "steps/s" in found
                      and found)
    assert "progress: step " in text and "loss 2 (worker:0)" in text
    gate.open()
    running.wait().expect(0)
