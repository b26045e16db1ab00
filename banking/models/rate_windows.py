"""Rate windows: the counters of `foundation.throttling`."""

from foundation.throttling.rate_limits import AbstractRateWindow


class RateWindow(AbstractRateWindow):
    """A counter of rate limits, of partners' calls as of applicants' and staff's."""
