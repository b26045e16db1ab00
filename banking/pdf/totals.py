"""Check that the totals of a document are the sums of its lines."""


class Disagreement(ValueError):
    """The lines of a document do not add up to its totals; it must not be written."""
