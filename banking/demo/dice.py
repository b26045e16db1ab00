"""Chance that repeats itself: the same seed throws the same numbers."""

from datetime import UTC, date, datetime, time, timedelta
from random import Random
from uuid import UUID


class Dice(Random):
    """Random numbers that follow from a text, and what a demo makes of them."""

    def uuid(self, at: datetime) -> UUID:
        """Return a UUID of version 7 for a timestamp."""
        bits = int(at.timestamp() * 1000) << 80 | self.getrandbits(80)
        bits = bits & ~(0xF << 76) | 7 << 76  # the version
        return UUID(int=bits & ~(0b11 << 62) | 0b10 << 62)  # the variant

    def cents(self, low: int, high: int) -> int:
        """Return an amount between so many dollars."""
        return self.randint(low * 100, high * 100)

    def round_cents(self, low: int, high: int, *, step: int = 20) -> int:
        """Return an amount as people round it, between so many dollars."""
        return self.randrange(low, high + 1, step) * 100

    def happens(self, percent: float) -> bool:
        """Say whether what happens in so many of a hundred cases happens now."""
        return self.random() * 100 < percent

    def digits(self, count: int) -> str:
        """Return digits, the first of which is not zero."""
        return str(self.randint(10 ** (count - 1), 10**count - 1))

    def timestamp(self, day: date, *, first_hour: int = 14, last_hour: int = 23) -> datetime:
        """Return a timestamp of a day in UTC, by default within American working hours."""
        seconds = self.randrange(first_hour * 3600, last_hour * 3600)
        return midnight(day) + timedelta(seconds=seconds)


def midnight(day: date) -> datetime:
    """Return the start of a day in UTC."""
    return datetime.combine(day, time(), UTC)
