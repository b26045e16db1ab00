"""Where invited businesses arrive."""

from datetime import timedelta

import pytest
from django.utils import timezone

from banking.choices import ReferralStatus
from tests.factories import make_referral

NOW = timezone.now()
SOON = NOW + timedelta(days=7)
PAST = NOW - timedelta(days=7)


def test_an_invited_business_learns_who_invited_it(db, client):
    referral = make_referral(business_name="Tea & Co", expires_at=SOON, invited_at=PAST)

    response = client.get(f"/join/{referral.invite_code}")

    assert response.status_code == 200
    assert "Tea &amp; Co is invited" in response.content.decode()
    assert referral.accountant.firm_name in response.content.decode()
    assert referral.email not in response.content.decode()
    assert "no-store" in response["Cache-Control"]


def test_a_code_that_nobody_was_given_leads_nowhere(db, client):
    assert client.get("/join/nonsense").status_code == 404


@pytest.mark.parametrize(
    "values",
    [
        {"expires_at": NOW - timedelta(days=1)},
        {"status": ReferralStatus.COMPLETED, "completed_at": PAST, "expires_at": SOON},
    ],
)
def test_an_invitation_that_is_over_says_so(db, client, values):
    referral = make_referral(invited_at=PAST, **values)

    response = client.get(f"/join/{referral.invite_code}")

    assert response.status_code == 410
    assert "expired" in response.content.decode()
