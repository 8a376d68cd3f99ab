"""What a user would pick instead on one machine: a shell script, and torchrun."""

import functools
import os
import pathlib
import subprocess
import time

PYTHON = "/usr/bin/python3"  # For programs that need no package.

# Starts $1 processes of the command in $2 as somebody would by hand, and waits for them.
BY_HAND = """
count=$1
export MASTER_ADDR=127.0.0.1 MASTER_PORT=$3 WORLD_SIZE=$1
rank=0
while [ $rank -lt $count ]; do
  RANK=$rank LOCAL_RANK=$rank sh -c "$2" &
  rank=$((rank + 1))
done
wait
"""


@functools.cache
def python(environment):
    """The interpreter of one of the examples' environments (tools/setup_python)."""
    tool = pathlib.Path(__file__).resolve().parents[1] / "setup_python"
    done = subprocess.run([tool, environment], check=True, text=True, stdout=subprocess.PIPE)
    return pathlib.Path(done.stdout.strip()) / "bin" / "python"


def script(tasks, command, port=29400):
    """The words that run `tasks` shells with `command` by a plain script."""
    return ["sh", "-c", BY_HAND, "by-hand", str(tasks), command, str(port)]


def torchrun(tasks, command):
    """It looks at its processes every 5 s unless told otherwise, newer releases every 0.1 s."""
    # With underscores, for older releases know no other spelling. Debian's 1.13 cannot read its own
    # defaults of -r and -t (what goes into files) on Python 3.11: they are given for a rank that is
    # not there.
    return [python("torch"), "-m", "torch.distributed.run", "--standalone",
            f"--nproc_per_node={tasks}", "--monitor_interval=0.1", "--no_python",
            "-r", "9:1", "-t", "9:1", "sh", "-c",
            command.replace("$", "$$")]  # Its own placeholders begin with a dollar sign.


def seconds_for(words, environment=None, **options):
    """Runs a command to its end; returns how long it took."""
    options.setdefault("stdout", subprocess.DEVNULL)
    started = time.perf_counter()
    done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, text=True,
                          stderr=subprocess.PIPE, check=False, timeout=120, **options)
    seconds = time.perf_counter() - started
    if done.returncode != 0:
        raise RuntimeError(f"{words[0]}: status {done.returncode}: {done.stderr.strip()[-2000:]}")
    return seconds


class Stamps:
    """A folder where each task leaves the wall-clock time of its start."""

    COMMAND = "date +%s%N > \"$STAMPS/$$\"; exec sleep 1"

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.environment = dict(os.environ, STAMPS=str(self.folder))

    def clear(self):
        for file in self.folder.iterdir():
            file.unlink()

    def last(self, count):
        """Seconds of the last start; all `count` must be there."""
        times = [int(file.read_text()) / 1e9 for file in self.folder.iterdir()]
        if len(times) != count:
            raise RuntimeError(f"{len(times)} of {count} processes came to their start")
        return max(times)
