"""What can go wrong with a feed, by what a caller does about it."""


class FeedError(Exception):
    """Any failure of a feed; the message says what happened to what."""


class FeedTimeoutError(FeedError):
    """A wait passed its deadline. What was put before stays put."""


class ReaderGoneError(FeedError):
    """The program that reads has ended. Final for this ring."""


class NoSpaceError(FeedError):
    """Neither memory nor disk has room for a ring."""


class NoColumnsError(FeedError):
    """These rows cannot travel as columns."""
