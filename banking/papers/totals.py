"""That a paper's totals are those of its lines."""


class Disagreement(ValueError):
    """The lines of a paper do not come to its totals; such a paper never leaves the house."""
