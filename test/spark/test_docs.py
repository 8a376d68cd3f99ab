"""The blocks of README and the guides that need Spark, run inside an application of Spark."""
# timeout: 600
# application: clusters

import os
import runpy
import sys
import types
from pathlib import Path

import pytest
from cluster_bed import home, sc  # noqa: F401 (fixtures)
from pyspark.sql import SparkSession

sys.path.append(str(Path(__file__).resolve().parents[1] / "local"))

import documents  # noqa: E402
import harness  # noqa: E402

PAGES = [page for page in documents.pages()
         if any(block.is_run and block.place == "spark" for block in documents.blocks_of(page))]


class Session(documents.Session):
    """Each program runs as the main module of this process, and finds the application in the module
    `spark_application`: starting three Java processes would be most of its cost.
    """

    def _run_program(self, block, name):
        runpy.run_path(str(self.folder / name), run_name="__main__")


@pytest.mark.parametrize("page", PAGES)
def test_the_page_shows_what_happens(sc, tmp_path, monkeypatch, page):  # noqa: F811
    application = types.ModuleType("spark_application")
    application.sc, application.spark = sc, SparkSession(sc)
    monkeypatch.setitem(sys.modules, "spark_application", application)
    monkeypatch.setenv("MUSTER_HOME", str(tmp_path / ".muster"))
    monkeypatch.setenv("PATH", f"{harness.BINARY.parent}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    assert documents.run_page(page, "spark", Session(tmp_path, dict(os.environ)))
