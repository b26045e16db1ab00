"""The error of documents whose lines do not add up to their totals."""


class Disagreement(ValueError):
    """The lines of a document do not add up to its totals; it must not be written."""
