"""What `make test` prints at its end."""

import time

import ctests


class Summary:
    """Collects the results of steps and tests. A step that fails counts as a failed test."""

    def __init__(self, clock=time.monotonic):
        self.clock = clock
        self.started = clock()
        self.outcomes = ctests.Outcomes()
        self.steps = []

    def step(self, title, again, run):
        """Runs a step, given its title, the command that repeats only it, and a function that
        returns success."""
        started = self.clock()
        print(f"== {title}", flush=True)
        good = run()
        took = f"{self.clock() - started:.0f} s"
        print(f"== {title}: {'ok' if good else 'FAILED'} in {took}\n", flush=True)
        if not good:
            self.steps.append((title, again))
        return good

    def tests(self, outcomes):
        self.outcomes += outcomes

    @property
    def failures(self):
        return len(self.steps) + len(self.outcomes.failed) + len(self.outcomes.unstarted)

    def lines(self, again):
        """Returns the last lines. `again` returns the command that runs given tests again.

        The very last one is `N passed, N failed` and no more, so that a program can read it. Tests
        that failed once and passed once are in neither number.
        """
        took = int(self.clock() - self.started)
        took = f"{took // 60} min {took % 60} s"
        found = self.outcomes
        lines = []
        if self.failures:
            lines.append(f"FAILED in {took}; again, only what failed:")
            lines += [f"  {command}" for _, command in self.steps]
            lines += [f"  {again(found.failed)}"] if found.failed else []
            if found.unstarted:
                lines += ["  never started:", f"  {again(found.unstarted)}"]
        elif found.unsteady:
            lines.append(f"no test failed twice in {took}")
        else:
            lines.append(f"all tests passed in {took}")
        lines.append(f"unsteady: {len(found.unsteady)}" + (
            f", failed once and passed when repeated (a fault to fix): {' '.join(found.unsteady)}"
            if found.unsteady else ""))
        lines.append(f"{len(found.passed)} passed, {self.failures} failed")
        return lines
