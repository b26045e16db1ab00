"""Applications that begin with an accountant's invitation link."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import MailKind
from onboarding.models import Application, Lead, Mail
from onboarding.queries import audit
from onboarding.services.access import links
from onboarding.services.events import publications
from onboarding.services.leads import invited_leads
from onboarding.services.partners.bank_partner import get_bank_partner
from tests.factories import NOON, later, make_application, make_lead, make_partner, make_referral

EMAIL = "ada@example.com"
PERSON = {"email": EMAIL, "first_name": "Ada", "last_name": "Byron", "language": "es"}

pytestmark = pytest.mark.django_db


def begin(referral, *, at=NOON, **values):
    assert invited_leads.begin(referral, at=at, **{**PERSON, **values}) is None


def make_known(status, **values):
    """Return an application of a lead of the bank with EMAIL."""
    lead = make_lead(get_bank_partner(), email=EMAIL, first_name="Ada", business_name="Own LLC")
    return make_application(lead, status=status, **values)


def test_a_lead_of_the_bank_begins_and_its_link_is_mailed():
    referral = make_referral(business_name="Tea & Co")

    begin(referral)

    application = Application.objects.select_related("lead__partner").get()
    lead, mail = application.lead, Mail.objects.get()
    assert lead.partner.is_bank
    assert (lead.email, lead.first_name, lead.last_name) == (EMAIL, "Ada", "Byron")
    assert lead.business_name == "Tea & Co"
    assert (application.status, application.referral) == (Status.CREATED, referral)
    assert (mail.kind, mail.application, mail.language) == (MailKind.LINK, application, "es")
    assert list(audit.find_faults()) == []


def test_the_link_is_mailed_once_although_its_event_is_published():
    begin(make_referral())

    publications.publish(at=NOON)

    assert Mail.objects.count() == 1


def test_a_second_time_nothing_changes_and_the_link_is_mailed_again():
    referral = make_referral()
    begin(referral)
    before = Lead.objects.values().get()

    begin(referral, first_name="Eve", last_name="Mallory")

    assert Lead.objects.values().get() == before
    assert Mail.objects.count() == 2


@pytest.mark.parametrize(
    "status", [status for status in Status if status not in {"EXPIRED", "WITHDRAWN", "DENIED"}]
)
def test_a_lead_that_exists_keeps_its_values_and_its_referral(status):
    own = make_referral()
    application = make_known(status, referral=own)
    before = Lead.objects.values().get()

    begin(make_referral(), first_name="Eve", last_name="Mallory")

    application.refresh_from_db()
    assert Lead.objects.values().get() == before
    assert (application.status, application.referral) == (status, own)
    assert Mail.objects.get().application == application


def test_a_denied_application_stays_denied_and_nothing_is_mailed():
    application = make_known(Status.DENIED)

    begin(make_referral())

    assert Application.objects.get() == application
    assert not Mail.objects.exists()


@pytest.mark.parametrize("status", [Status.EXPIRED, Status.WITHDRAWN])
def test_after_an_end_a_new_attempt_begins_with_the_values_of_before(status):
    make_known(status)
    referral = make_referral()

    begin(referral, first_name="Eve", last_name="Mallory")

    attempt = Application.objects.select_related("lead").get(is_current=True)
    assert (attempt.attempt, attempt.referral) == (2, referral)
    assert (attempt.lead.first_name, attempt.lead.business_name) == ("Ada", "Own LLC")
    assert Mail.objects.get().application == attempt


def test_an_expired_link_is_replaced():
    begin(make_referral())
    old = links.derive_link(Application.objects.get())

    begin(make_referral(), at=later(days=30))

    assert links.derive_link(Application.objects.get()) != old


def test_leads_of_partners_are_not_touched():
    lead = make_lead(make_partner(), email=EMAIL, first_name="Grace")

    begin(make_referral())

    lead.refresh_from_db()
    assert lead.first_name == "Grace"
    assert Lead.objects.count() == 2


def test_of_eight_at_once_one_lead_begins(in_threads):
    referral = make_referral()

    failures = [one for one in in_threads(lambda _: begin(referral), range(8)) if one]

    assert failures == []
    assert Application.objects.get().referral == referral
    assert Mail.objects.count() == 8
