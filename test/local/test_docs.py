# timeout: 600
"""README, tutorial and guides do what they say: every block of them is run on this machine."""

import documents
import pytest

# Blocks that no test runs, each with its reason beside it. The number may only fall.
NOT_RUN = 9

LOCAL = [page for page in documents.pages()
         if any(block.is_run and block.place == "local" for block in documents.blocks_of(page))]


@pytest.mark.parametrize("page", LOCAL)
def test_the_page_shows_what_happens(muster, page):
    muster.home = muster.folder / ".muster"
    muster.environment["MUSTER_HOME"] = str(muster.home)
    muster.environment["PATH"] = f"{documents.harness.BINARY.parent}:/usr/bin:/bin"
    session = documents.Session(muster.folder, muster.environment)
    assert documents.run_page(page, "local", session)


def test_blocks_that_are_not_run_say_why_and_become_fewer():
    left = [block for page in documents.pages() for block in documents.blocks_of(page)
            if not block.is_run]
    for block in left:
        assert len(block.words["not"].split()) >= 3, f"{block}: say why"
    assert len(left) == NOT_RUN, f"lower NOT_RUN: {[str(block) for block in left]}"


SHOWN = """\
$ muster run -n 2 -- python3 hello.py
muster: hello-dkrw9j: 2 tasks on this machine
...
worker:1 | I am worker 1 at 127.0.0.1:34543
worker:0 | I am worker 0 at 127.0.0.1:34163
muster: ended (162 ms)
"""
PRINTED = """\
muster: hello-7f3k2q: 2 tasks
on this machine
muster: running: 0/2 tasks (60 ms)
worker:0 | I am worker 0 at 127.0.0.1:1
worker:1 | I am worker 1 at 127.0.0.1:2
muster: ended (1.2 s)
"""


@pytest.mark.parametrize(("was", "now", "problem"), [
    ("", "", ""),
    ("hello-7f3k2q", "other-7f3k2q", "not printed: muster: hello-dkrw9j: 2 tasks on this machine"),
    ("2 tasks", "3 tasks", "not printed: muster: hello-dkrw9j: 2 tasks on this machine"),
    ("worker 1", "worker 2", "not printed by worker:1: I am worker 1 at 127.0.0.1:34543"),
    ("ended", "over", "not printed: muster: ended (162 ms)"),
    ("(1.2 s)\n", "(1.2 s)\nmore\n", "the page ends before the output does"),
])
def test_ids_times_and_ports_may_differ_and_nothing_else(was, now, problem):
    ((_, expected),) = documents.commands_of(SHOWN)
    assert documents.mismatch(expected, PRINTED.replace(was, now).splitlines()) == problem


def test_folded_lines_count_for_each_task_they_name():
    expected = ["worker:0 | ready", "worker:1 | ready", "worker:2 | ready"]
    assert not documents.mismatch(expected, ["worker:0-1 | ready", "worker:2 | ready"])
    assert documents.mismatch(expected, ["worker:0-1 | ready"])
    assert documents.mismatch(["worker:0 | ready"], ["worker:0-1 | ready"])


def test_a_page_says_what_each_block_is():
    def reading(text):
        return documents.blocks_of("page.md", text)

    with pytest.raises(AssertionError, match="a block is one of"):
        reading("```\n$ true\n```\n")
    with pytest.raises(AssertionError, match="fenced, not indented"):
        reading("text\n\n    muster ps\n")
    with pytest.raises(AssertionError, match="a directive without a block"):
        reading("<!-- run: status 1 -->\ntext\n")
    (block,) = reading("<!-- run: on yarn; status 3 -->\n```console\n$ muster ps\n```\n")
    assert (block.place, block.words["status"], block.is_run) == ("yarn", "3", True)
