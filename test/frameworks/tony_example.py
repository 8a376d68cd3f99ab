"""What the examples that TonY ships share: an environment, and a file of settings."""

import subprocess
from xml.sax.saxutils import escape

import harness


def environment_of(name):
    done = subprocess.run([harness.REPOSITORY / "tools" / "setup_python", name],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def write_settings(muster, settings):
    rows = "".join(f"<property><name>{name}</name><value>{escape(str(value))}</value></property>"
                   for name, value in settings.items())
    return muster.write("tony-test.xml", f"<configuration>{rows}</configuration>")
