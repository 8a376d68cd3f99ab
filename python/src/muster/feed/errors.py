"""Errors of a feed, by what a caller does about them."""


class FeedError(Exception):
    """Any failure of a feed."""


class FeedTimeoutError(FeedError):
    """A wait passed its deadline. Rows fed before it stay in the feed."""


class ReaderGoneError(FeedError):
    """The reading program has ended. Final for this ring."""


class NoSpaceError(FeedError):
    """Neither memory nor disk has room for a ring."""


class NoColumnsError(FeedError):
    """These rows cannot travel as columns."""
