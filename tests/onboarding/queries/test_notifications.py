"""The page that a notification leads to."""

import pytest

from onboarding.choices import NotificationKind as Kind
from onboarding.models import Notification
from onboarding.queries.notifications import address_of
from tests.onboarding.customers import make_review
from tests.onboarding.hits import make_hit

ONBOARDING = "/admin/onboarding"


def test_a_notification_leads_to_the_part_of_the_case(db, make_application, make_lead):
    case = make_application(make_lead())

    mentioned = Notification(kind=Kind.MENTIONED, application=case)
    assigned = Notification(kind=Kind.ASSIGNED, application=case)

    assert address_of(mentioned) == f"{ONBOARDING}/application/{case.pk}/change/#notes"
    assert address_of(assigned) == f"{ONBOARDING}/application/{case.pk}/change/"


@pytest.mark.parametrize("kind", [Kind.HANDED_OVER, Kind.OVERDUE])
def test_a_notification_about_a_customer_case_leads_to_it(db, kind):
    review = make_review()

    about = {"application": review.customer.application, "customer_case": review}

    page = f"{ONBOARDING}/customercase/{review.pk}/change/"
    assert address_of(Notification(kind=kind, **about)) == page


def test_a_notification_about_a_hit_of_the_records_leads_to_it(db, make_application, make_lead):
    hit = make_hit(make_application(make_lead()))

    page = f"{ONBOARDING}/screeninghit/{hit.pk}/change/"
    assert address_of(Notification(kind=Kind.NEW_HIT, hit=hit)) == page
