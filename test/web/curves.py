"""What tests of TensorBoard draw, and with what."""

import pathlib
import subprocess

import harness

CURVES = """
import sys
from tensorboard.summary import Writer
writer = Writer(sys.argv[1])
for step in range(5):
    writer.add_scalar("accuracy_of_the_test", step / 5, step)
writer.close()
"""


def programs():
    """The programs of the environment that has TensorBoard."""
    done = subprocess.run([harness.REPOSITORY / "tools" / "setup_python", "spark"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return pathlib.Path(done.stdout.strip()) / "bin"


def sees_curves(window, board):
    """Opens TensorBoard until it has read the curves: its page does not look again by itself."""
    def probe():
        window.open(board)
        try:
            return window.sees("body", "accuracy_of_the_test", 10)
        except AssertionError:
            return None

    harness.eventually(probe, what=f"curves on {board}")
