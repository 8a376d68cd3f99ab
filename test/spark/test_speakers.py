"""What the driver believes of each party that has a container's key."""

import logging

import pytest

from muster.spark.errors import ChannelError
from muster.spark.speakers import Complaints, Speakers, shown, words_of

TEMPLATE = {"ps": [0], "worker": [1, 2]}


def node(role, index, **more):
    return {"is": "node", "role": role, "index": index, **more}


def test_a_container_speaks_for_its_own_task():
    speakers = Speakers(TEMPLATE)
    speakers.check("c1", "worker", node("worker", 1, executor_id=2))
    speakers.check("c1", "worker", {"is": "exit", "role": "worker", "index": 1})
    speakers.check("c2", "worker", node("worker", 0, executor_id=1))


@pytest.mark.parametrize("message", [
    node("ps", 0), node("worker", 0), node("worker", 2), node("worker", -1), node("worker", True),
    node("worker", "1"), node("worker", [1]), node("worker", 1, executor_id=1),
    node("worker", 1, executor_id=[2]), node(["worker"], 1)])
def test_and_for_no_other(message):
    speakers = Speakers(TEMPLATE)
    speakers.check("c1", "worker", node("worker", 1, executor_id=2))
    with pytest.raises(ChannelError):
        speakers.check("c1", "worker", message)


def test_what_it_says_moves_no_cursor():
    said = {"words": "\x1b[2J\x9b1m a\u202eb\r\nc\td", "more": ["\x07", 7, None]}
    assert shown(said) == {"words": "\\x1b[2J\\x9b1m a\\u202eb\nc\td", "more": ["\\x07", 7, None]}


def test_who_goes_on_and_on_does_not_fill_the_drivers_log(caplog):
    complaints = Complaints(logging.getLogger("of-the-driver"))
    for number in range(1000):
        complaints.add(logging.ERROR, "c1", "%s failed:\n%s", "worker:0", number)
    complaints.add(logging.ERROR, "c2", "%s failed:\n%s", "worker:1", "its words")
    said = [record.getMessage() for record in caplog.records]
    assert said[99:] == ["worker:0 failed:\n99", "nothing more from c1 is shown",
                         "worker:1 failed:\nits words"]
    assert words_of({"words": "x" * (1 << 20) + "the end"}) == "x" * ((64 << 10) - 7) + "the end"
