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
