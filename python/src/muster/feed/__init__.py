"""Rows between processes of one host, through shared memory.

One program reads (`Inbox`), any number feed it (`Producer`), each through its own ring. Rows travel
as columns and come out as they went in; numpy and Arrow see the columns without a copy.
"""

from muster.feed.block import Block
from muster.feed.errors import FeedError, FeedTimeoutError, NoSpaceError, ReaderGoneError
from muster.feed.inbox import END_OF_FEED, END_OF_PARTITION, Inbox, Received
from muster.feed.producer import Producer

__all__ = [
    "END_OF_FEED",
    "END_OF_PARTITION",
    "Block",
    "FeedError",
    "FeedTimeoutError",
    "Inbox",
    "NoSpaceError",
    "Producer",
    "ReaderGoneError",
    "Received",
]
