"""Daemons whose clock is wrong."""

import contextlib
import shutil

import artifacts


@contextlib.contextmanager
def shifted(bed, name, days):
    """Runs a daemon whose time of day is ahead (or behind) by that much; it is restarted before and
    after. Files keep the times that it has given them."""
    conf = bed.folder / name / "conf"
    offset = conf / "clock-offset-ms"
    try:
        artifacts.compile_java(bed.version, conf, artifacts.HERE / "Time.java")
        offset.write_text(str(days * 24 * 3600 * 1000))
        bed.restart(name)
        yield
    finally:
        shutil.rmtree(conf / "org")
        offset.unlink()
        bed.restart(name)
