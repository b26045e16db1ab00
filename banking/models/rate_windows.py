"""Rate windows: the counters of `foundation.throttling`."""

from foundation.throttling.rate_limits import AbstractRateWindow


class RateWindow(AbstractRateWindow):
    """A counter of a rate limit, for calls of partners, applicants and staff alike."""
