"""Data that comes in two halves, with something happening in between."""

import os
import threading


class SlowSource:
    """A fifo that gives the first half of `data`, calls `in_the_middle`, then gives the rest.

    When the call is made, a reader has all of the first half except what fits into the fifo.
    """

    def __init__(self, path, data, in_the_middle):
        os.mkfifo(path)
        self.path = path
        self.failed = None
        self.thread = threading.Thread(target=self.feed, args=(data, in_the_middle), daemon=True)
        self.thread.start()

    def feed(self, data, in_the_middle):
        try:
            with self.path.open("wb", buffering=0) as pipe:
                self.write(pipe, data[:len(data) // 2])
                in_the_middle()
                self.write(pipe, data[len(data) // 2:])
        except (OSError, AssertionError) as error:
            self.failed = error

    @staticmethod
    def write(pipe, data):
        view = memoryview(data)
        while view:
            view = view[pipe.write(view):]

    def open(self):
        """The fifo, for the process that reads it."""
        return self.path.open("rb", buffering=0)

    def end(self):
        """Waits until everything was read; raises whatever went wrong with the source."""
        self.thread.join(60)
        if self.failed is not None:
            raise self.failed
