"""That a document's totals are those of its lines."""


class Disagreement(ValueError):
    """The lines of a document do not add up to its totals; it must not be written."""
