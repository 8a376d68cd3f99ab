"""Marks among the items of a queue. They are pickled by name and told apart by their exact type."""


class Marker:
    """What is not an item."""


class EndPartition(Marker):
    """A partition of the RDD ends here."""
