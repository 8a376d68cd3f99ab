"""What tests of TensorBoard draw, and with what."""

import pathlib
import subprocess

import harness

CURVE = "accuracy_of_the_test"
CURVES = f"""
import sys
from tensorboard.summary import Writer
writer = Writer(sys.argv[1])
for step in range(5):
    writer.add_scalar("{CURVE}", step / 5, step)
writer.close()
"""

# As TensorBoard's page does: with the window's cookies, from the address it was led to.
ASKS = "return fetch('data/plugin/scalars/tags').then(answer => answer.text()).catch(String)"


def programs():
    """The programs of the environment that has TensorBoard."""
    done = subprocess.run([harness.REPOSITORY / "tools" / "setup_python", "spark"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return pathlib.Path(done.stdout.strip()) / "bin"


def sees_curves(window, board):
    """Opens TensorBoard once it has read the curves. Its page does not check again by itself, and
    is slow to draw on a busy machine: if reopened every few seconds, it might never get to show
    them."""
    window.open(board)
    harness.eventually(lambda: CURVE in window.run(ASKS), what=f"curves behind {board}", pause=0.1)
    window.open(board)
    window.sees("body", CURVE)
