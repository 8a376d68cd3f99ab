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
    try:
        client = reservation.Client((arguments[0], int(arguments[1])))
        client.request_stop()
        client.close()
    except Exception as failure:
        print(
            f"the stream continues: {':'.join(arguments)} did not accept the request ({failure}); "
            "is this the address in your driver's log, and is MUSTER_HOME the driver's?",
            file=sys.stderr,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
