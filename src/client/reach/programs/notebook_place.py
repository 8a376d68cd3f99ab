"""Waits in a notebook's task until its server answers, and prints what notebook.py wrote of it;
nothing in a task that is none. A session works where the task's program does, which may not be
there yet: the place is where both look from the beginning.
"""

import os
import socket
import sys
import time

PATIENCE = 120
PATIENCE_BEGIN = 10  # For notebook.py to make its folder, which is the first that it does.


def main():
    view = os.environ["MUSTER_VIEW_FILE"]
    folder = os.path.join(os.path.dirname(view), ".notebook")
    place = os.path.join(folder, "place")
    begun = time.monotonic()
    while time.monotonic() < begun + PATIENCE:
        if not os.path.isdir(folder) and time.monotonic() > begun + PATIENCE_BEGIN:
            return
        try:
            with open(place) as file:
                text = file.read()
            socket.create_connection(("127.0.0.1", int(text.split()[0])), 5).close()
        except (OSError, ValueError, IndexError):
            time.sleep(0.1)
            continue
        sys.stdout.write(text)
        return
    sys.exit("muster: the notebook's server does not answer")


if __name__ == "__main__":
    main()
