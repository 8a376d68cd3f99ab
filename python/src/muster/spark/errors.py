"""What can go wrong with a job on Spark, by what a caller does about it."""


class JobError(Exception):
    """The job cannot go on; the message says who failed, with its own words."""


class ChannelError(Exception):
    """The other side is not of this job, or speaks no sense."""
