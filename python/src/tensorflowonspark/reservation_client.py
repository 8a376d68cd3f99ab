"""Ends a cluster's stream: `python -m tensorflowonspark.reservation_client HOST PORT`.

HOST and PORT are those at which the driver's log says that it listens for reservations.
"""

import sys

from . import reservation


def main(arguments):
    """Returns the exit status."""
    if len(arguments) != 2 or not arguments[1].isdigit():
        print(f"usage: python -m {__spec__.name} HOST PORT", file=sys.stderr)
        return 2
    client = reservation.Client((arguments[0], int(arguments[1])))
    try:
        return 0 if client.request_stop() == "OK" else 1
    finally:
        client.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
