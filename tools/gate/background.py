"""Work that uses what the tests of real processes leave idle while they wait."""

import pathlib
import subprocess
import threading

NICE = ("nice", "-n", "19")


class Work:
    """Something to do; `log` holds its output."""

    def __init__(self, log):
        self.log = pathlib.Path(log)
        self.good = False
        self.done = threading.Event()

    def run(self, root):
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with open(self.log, "w") as log:
            self.good = self.work(root, log)

    def work(self, root, log):
        """Does the work; returns whether all went well."""
        raise NotImplementedError

    def finish(self, lines=0):
        """Waits for its end; returns whether all went well. Prints the last `lines` of its output,
        or much of it after a failure."""
        self.done.wait()
        said = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        for line in said[len(said) - lines if self.good else -200:]:
            print(line, flush=True)
        return self.good


class Job(Work):
    """Commands that run one after the other until one fails."""

    def __init__(self, commands, log):
        super().__init__(log)
        self.commands = commands

    def work(self, root, log):
        for command in self.commands:
            log.write(f"== {' '.join(map(str, command))}\n")
            log.flush()
            ended = subprocess.run([*NICE, *command], cwd=root, stdout=log,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, check=False)
            if ended.returncode != 0:
                return False
        return True


class Tests(Work):
    """Tests of what another piece of work builds; they do not begin if that failed. `suite` is a
    ctests.Suite, `arguments` are those of its run()."""

    def __init__(self, build, suite, *arguments, log):
        super().__init__(log)
        self.build = build
        self.suite = suite
        self.arguments = arguments
        self.outcomes = None

    def work(self, root, log):
        self.build.done.wait()
        if not self.build.good:
            return False
        self.suite.before, self.suite.log = NICE, log
        self.outcomes = self.suite.run(*self.arguments)
        return self.outcomes.clean


def start(root, jobs):
    """Runs the jobs one after the other at the lowest priority, whether or not they fail."""
    def run():
        for job in jobs:
            try:
                job.run(root)
            finally:
                job.done.set()

    threading.Thread(target=run).start()
