"""The blocks of README and the guides that need Spark, run inside an application of Spark."""
# timeout: 600

import os
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[1] / "local"))

import documents  # noqa: E402
import harness  # noqa: E402

PAGES = [page for page in documents.pages()
         if any(block.is_run and block.place == "spark" for block in documents.blocks_of(page))]


@pytest.mark.parametrize("page", PAGES)
def test_the_page_shows_what_happens(tmp_path, page):
    path = f"{harness.BINARY.parent}:{os.environ['PATH']}"
    home = str(tmp_path / ".muster")
    session = documents.Session(tmp_path, {**os.environ, "MUSTER_HOME": home, "PATH": path})
    assert documents.run_page(page, "spark", session)
