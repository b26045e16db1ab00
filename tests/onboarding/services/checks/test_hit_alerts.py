"""Alerts about customers: the clock, and the mails to staff who may judge hits."""

import pytest

from onboarding.business_hours import HOURS_OF_A_DAY, add_business_hours
from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import EventType, MailKind
from onboarding.models import Application, Lead, Mail
from onboarding.services.checks import hit_alerts
from onboarding.services.mails import mail_texts
from onboarding.services.mails.facts import Overtaken
from onboarding.services.notifications import mark_read
from tests.factories import NOON, later, make_event, make_user
from tests.onboarding.cases import load, make_case, make_reviewer
from tests.onboarding.hits import make_hit
from tests.onboarding.sanctions_files import load as load_list
from tests.onboarding.sanctions_files import recheck
from tests.onboarding.services.checks.submitted import screen


def mails():
    return Mail.objects.filter(kind=MailKind.SCREENING_HITS)


@pytest.mark.parametrize("status", [Status.APPROVED, Status.APPROVED_TEMPORARY])
def test_a_new_hit_of_a_customer_has_a_clock_and_a_mail_to_each_reviewer(
    submitted, status, tmp_path
):
    ada, bob = make_reviewer(), make_reviewer()
    make_user(user_type="STAFF")  # who may not judge
    customer = submitted(first_name="Ana", last_name="Perez Nakar")
    screen()
    Application.objects.filter(pk=customer.pk).update(status=status, due_at=None)
    load_list(tmp_path)

    list(recheck(at=later(days=1)))

    customer = load(customer)
    due_at = add_business_hours(later(days=1), HOURS_OF_A_DAY)
    assert (customer.status, customer.new_hit_at) == (status, later(days=1))
    assert customer.due_at == due_at
    assert {mail.user for mail in mails()} == {ada, bob}


def test_many_alerts_at_once_are_one_mail(db):
    make_reviewer()
    for number in range(3):
        customer = make_case(Status.APPROVED)
        make_hit(customer, number)
        hit_alerts.update_alert(customer, is_alert=True, at=NOON)

    assert mails().count() == 1


def alert(*, at):
    """Begin the alert of a new customer."""
    customer = make_case(Status.APPROVED)
    make_hit(customer)
    hit_alerts.update_alert(customer, is_alert=True, at=at)


def test_a_hit_after_the_notification_of_another_was_read_is_notified_and_mailed(db):
    ada = make_reviewer()
    alert(at=NOON)
    mark_read(ada, at=later(minutes=1))

    alert(at=later(minutes=3))

    second, first = mails().order_by("-pk")
    assert second.notification.at == later(minutes=3)
    assert mail_texts.compose(second, at=later(minutes=8)).to == [ada.email]
    with pytest.raises(Overtaken):
        mail_texts.compose(first, at=later(minutes=5))


def test_a_hit_before_the_notification_of_another_was_read_is_in_the_queued_mail(db):
    ada = make_reviewer()
    alert(at=NOON)
    alert(at=later(minutes=3))

    mark_read(ada, at=later(minutes=4))

    message = mail_texts.compose(mails().get(), at=later(minutes=5))
    assert message.subject == "2 customers have new screening hits"


def test_a_case_in_review_is_no_alert(db):
    make_reviewer()
    case = make_case()
    make_hit(case)

    hit_alerts.update_alert(case, is_alert=True, at=NOON)

    assert (load(case).new_hit_at, mails().count()) == (None, 0)


def test_a_customer_without_open_hits_has_no_alert(db):
    customer = make_case(Status.APPROVED)
    Application.objects.update(new_hit_at=NOON, due_at=NOON)

    hit_alerts.update_alert(load(customer), is_alert=False, at=NOON)

    customer = load(customer)
    assert (customer.new_hit_at, customer.due_at) == (None, None)


def test_a_customer_whose_data_changed_is_compared_again(submitted, tmp_path):
    load_list(tmp_path)
    customer = submitted()
    screen()
    Application.objects.update(status=Status.APPROVED)
    Lead.objects.update(first_name="Ana", last_name="Perez Nakar")
    make_event(customer, EventType.CHANGED, at=later(hours=1))

    again = [one.application_id for one in recheck(at=later(hours=2))]

    assert again == [customer.external_id]
    assert load(customer).new_hit_at == later(hours=2)
