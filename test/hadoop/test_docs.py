# bed: plain
# timeout: 900
"""The blocks of README and the guides that need Hadoop, run on its daemons."""

import documents
import pytest

PAGES = [page for page in documents.pages()
         if any(block.is_run and block.place == "yarn" for block in documents.blocks_of(page))]


@pytest.mark.parametrize("page", PAGES)
def test_the_page_shows_what_happens(yarn, bed, page):
    folder = f"{documents.harness.BINARY.parent}:/usr/bin:/bin"
    yarn.home = yarn.folder / ".muster"
    yarn.environment.update(MUSTER_HOME=str(yarn.home), PATH=folder)
    there_is = {"/etc/hadoop/conf": str(bed.conf), "/etc/hadoop/prod": str(bed.conf),
                "/user/me": "/user/alice"}
    session = documents.Session(yarn.folder, yarn.environment, there_is)
    assert documents.run_page(page, "yarn", session)
