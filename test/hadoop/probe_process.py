"""A probe is a process that takes lines of JSON saying what to do, and answers each with another.

It does one step at a time, so that daemons can be killed between any two, or during one.
"""

import json
import os
import pathlib
import subprocess

import pytest


class RefusedError(Exception):
    """The probe's answer was an error; `.code` and `.blame` are its own."""

    def __init__(self, answer):
        super().__init__(answer["error"])
        self.code, self.blame = answer.get("code"), answer.get("blame")
        self.java_class, self.may_be_done = answer.get("class"), answer.get("may_be_done")


class ProbeProcess:
    def __init__(self, bed, name, *words, **variables):
        program = pathlib.Path(os.environ["MUSTER_BINARY"]).parent / name
        environment = {"PATH": "/usr/bin:/bin", **bed.extra_environment, **variables}
        self.bed = bed
        self.process = subprocess.Popen([program, *words], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=environment)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()

    def begin(self, do, **fields):
        """Sends a request; answer() waits for the answer."""
        self.process.stdin.write(json.dumps({"do": do, **fields}) + "\n")
        self.process.stdin.flush()

    def answer(self):
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RefusedError(answer)
        return answer

    def __call__(self, do, **fields):
        self.begin(do, **fields)
        return self.answer()

    def refused(self, do, **fields):
        """Does something that must fail; returns the error, which is one line for people."""
        with pytest.raises(RefusedError) as caught:
            self(do, **fields)
        assert "\n" not in str(caught.value)
        return caught.value
