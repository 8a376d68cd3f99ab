"""Work that takes what the tests of real processes leave of the machine while they wait."""

import pathlib
import subprocess
import threading


class Job:
    """Commands that run one after the other until one fails; `log` is what they say."""

    def __init__(self, commands, log):
        self.commands = commands
        self.log = pathlib.Path(log)
        self.good = False
        self.done = threading.Event()

    def run(self, root):
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with open(self.log, "w") as log:
            for command in self.commands:
                log.write(f"== {' '.join(map(str, command))}\n")
                log.flush()
                ended = subprocess.run(["nice", "-n", "19", *command], cwd=root, stdout=log,
                                       stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT,
                                       check=False)
                if ended.returncode != 0:
                    return
        self.good = True

    def finish(self, lines=0):
        """Waits for its end; returns whether all went well. What was said is printed: its last
        `lines`, and much of it after a failure."""
        self.done.wait()
        said = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        for line in said[len(said) - lines if self.good else -200:]:
            print(line, flush=True)
        return self.good


def start(root, jobs):
    """Runs the jobs one after the other, whatever becomes of each, at the lowest priority."""
    def run():
        for job in jobs:
            try:
                job.run(root)
            finally:
                job.done.set()

    threading.Thread(target=run).start()
