"""Waiting for a condition, with a deadline after which the error says what did not happen."""

import threading
import time


class WaitError(AssertionError):
    """The condition was not met in time."""


def until(probe, within, what, pause=0.05):
    """Returns the first true value of `probe()`; raises WaitError after `within` seconds. Asks
    again after `pause` seconds, or later if asking takes time or the wait is long, so that what is
    waited for has the processors.

    `what` names the condition: a text, or a function that is called at the end and may say how far
    things had got.
    """
    begun = time.monotonic()
    deadline = begun + within
    sleeper = threading.Event()
    while True:
        asked = time.monotonic()
        value = probe()
        if value:
            return value
        now = time.monotonic()
        if now > deadline:
            raise WaitError(f"not within {within} s: {what() if callable(what) else what}")
        sleeper.wait(max(pause, min(2 * (now - asked), 2), min((now - begun) / 20, 0.5)))
