"""How many statements a delivery takes: more of them are deliveries that one worker cannot send."""

import pytest

from tests.onboarding.services.receiving import BROKEN, run

CLAIM = 3  # whom the partner is being sent to, the webhook, the lane
READY = 1
KEPT = 4 + 2  # the lease, the delivery, the attempt, the webhook, in a transaction
END_LEASE = 6 + 2  # the lock, the same three, what waits, the end of the lease, in a transaction


def test_deliveries_of_many_leads(
    receiver, happen, webhook, make_application, make_lead, django_assert_num_queries
):
    for _ in range(5):
        happen(make_application(make_lead(webhook.partner)))

    with django_assert_num_queries(5 * (CLAIM + READY + END_LEASE) + CLAIM):
        assert run(webhook) == 5


@pytest.mark.parametrize("count", [1, 5])
def test_deliveries_of_one_lead(
    receiver, happen, application, webhook, count, django_assert_num_queries
):
    happen(application, count)

    with django_assert_num_queries(CLAIM + READY + (count - 1) * KEPT + END_LEASE + CLAIM):
        assert run(webhook) == count


def test_a_failure(receiver, happen, application, webhook, django_assert_num_queries):
    happen(application, 3)
    receiver.answers = [BROKEN]
    marked, judged = 1, 1

    with django_assert_num_queries(CLAIM + READY + END_LEASE + marked + judged + CLAIM):
        assert run(webhook) == 1


def test_nothing_to_send(webhook, django_assert_num_queries):
    with django_assert_num_queries(CLAIM):
        assert run(webhook) == 0
