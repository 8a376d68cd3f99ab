"""What tests of TensorBoard draw, and with what."""

import pathlib
import subprocess
import urllib.parse

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

# As its page does: with the cookies of the window.
ASKS = "return fetch(arguments[0]).then(answer => answer.text())"


def programs():
    """The programs of the environment that has TensorBoard."""
    done = subprocess.run([harness.REPOSITORY / "tools" / "setup_python", "spark"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return pathlib.Path(done.stdout.strip()) / "bin"


def sees_curves(window, board):
    """Opens TensorBoard when it has read the curves: its page does not look again by itself, and
    is slow to draw on a busy machine: opened each few seconds, it might never come to show them."""
    window.open(board)
    tags = urllib.parse.urljoin(board, "data/plugin/scalars/tags")
    harness.eventually(lambda: CURVE in window.run(ASKS, tags), what=f"curves at {tags}",
                       pause=0.1)
    window.open(board)
    window.sees("body", CURVE)
