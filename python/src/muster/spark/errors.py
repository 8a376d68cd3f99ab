"""Errors of a job on Spark, by what a caller does about them."""


class JobError(Exception):
    """The job cannot continue; the message names what failed and quotes its own message."""


class ChannelError(Exception):
    """The other side is not part of this job, or sent something malformed."""
