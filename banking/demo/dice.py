"""Random numbers that are the same for the same seed."""

from datetime import date, datetime, timedelta
from random import Random
from uuid import UUID

from banking.days import midnight


class Dice(Random):
    """A random number generator with a text as its seed; also makes ids, amounts and timestamps."""

    def uuid(self, at: datetime) -> UUID:
        """Return a random UUID of version 7 with a timestamp."""
        bits = int(at.timestamp() * 1000) << 80 | self.getrandbits(80)
        bits = bits & ~(0xF << 76) | 7 << 76  # the version
        return UUID(int=bits & ~(0b11 << 62) | 0b10 << 62)  # the variant

    def cents(self, low: int, high: int) -> int:
        """Return a random amount in cents between two amounts in dollars."""
        return self.randint(low * 100, high * 100)

    def round_cents(self, low: int, high: int, *, step: int = 20) -> int:
        """Return random cents from `low` to `high` dollars, in steps of `step` dollars."""
        return self.randrange(low, high + 1, step) * 100

    def happens(self, percent: float) -> bool:
        """Return true with a probability of `percent`."""
        return self.random() * 100 < percent

    def digits(self, count: int) -> str:
        """Return `count` random digits without a leading zero."""
        return str(self.randint(10 ** (count - 1), 10**count - 1))

    def timestamp(self, day: date, *, first_hour: int = 14, last_hour: int = 23) -> datetime:
        """Return a random time of a day, by default within American working hours.

        The hours are of UTC; `last_hour` is not included.
        """
        seconds = self.randrange(first_hour * 3600, last_hour * 3600)
        return midnight(day) + timedelta(seconds=seconds)
