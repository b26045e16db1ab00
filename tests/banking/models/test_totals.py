from datetime import UTC, date, datetime, timedelta

from django.db.models import Sum
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from banking.models import TransactionTotal
from tests.factories import make_account, make_transaction

DAYS = st.dates(date(2025, 11, 20), date(2026, 3, 10)) | st.sampled_from([date.min, date.max])


class TotalsBetween(TestCase):
    @classmethod
    def setUpTestData(cls):
        cls.account = make_account()
        first = datetime(2025, 11, 25, 12, tzinfo=UTC)
        cls.days = [first + timedelta(days=3 * number) for number in range(30)]
        for day in cls.days:
            make_transaction(cls.account, 100, at=day)

    @given(first=st.none() | DAYS, last=st.none() | DAYS)
    @settings(max_examples=60)
    def test_totals_cover_each_day_once(self, first, last):
        totals = TransactionTotal.objects.between(first, last)
        wanted = [
            day
            for day in self.days
            if (not first or day.date() >= first) and (not last or day.date() <= last)
        ]

        assert (totals.aggregate(n=Sum("count"))["n"] or 0) == len(wanted)
