"""Waiting for a condition, with a deadline that says what did not come."""

import threading
import time


class WaitError(AssertionError):
    """The condition did not come in time."""


def until(probe, within, what, pause=0.05):
    """Returns the first true value of `probe()`; after `within` seconds raises WaitError. Asks
    again every `pause` seconds.

    `what` names the condition: a text, or a function that is called at the end and may tell how
    far it came.
    """
    deadline = time.monotonic() + within
    sleeper = threading.Event()
    while True:
        value = probe()
        if value:
            return value
        if time.monotonic() > deadline:
            raise WaitError(f"not within {within} s: {what() if callable(what) else what}")
        sleeper.wait(pause)
