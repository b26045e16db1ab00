"""That a document's totals are those of its lines."""


class Disagreement(ValueError):
    """The lines of a document do not come to its totals; such a document never leaves the house."""
