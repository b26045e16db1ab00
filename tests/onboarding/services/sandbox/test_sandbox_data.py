from decimal import Decimal

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Event
from onboarding.queries.leads import open_lead_file
from onboarding.services.applications.attempts import LeadLocked
from onboarding.services.leads import submissions
from onboarding.services.sandbox import sandbox_data
from tests.factories import NOON, make_application, make_lead, make_owner
from tests.onboarding.services.leads.test_submissions import make_complete


@pytest.fixture
def application(db):
    return make_application(make_lead(business_name=""), status=Status.IN_PROGRESS)


def fill_in(application):
    stored = Application.objects.select_related("lead").get(pk=application.pk)
    sandbox_data.fill_in(stored, at=NOON)
    return open_lead_file(Application.objects.select_related("lead").get(pk=application.pk))


def test_nothing_that_blocks_a_submission_is_left(application):
    make_owner(application.lead)

    file = fill_in(application)

    assert submissions.list_blocking(file.requirements) == []


def test_whoever_has_a_share_keeps_it_and_the_others_part_the_rest(application):
    make_owner(application.lead, ownership_percent=70)
    make_owner(application.lead)
    make_owner(application.lead)

    file = fill_in(application)

    shares = [file.application.lead.ownership_percent, *(o.ownership_percent for o in file.owners)]
    assert shares == [10, 70, 10, 10]


def test_shares_that_do_not_part_evenly_stay_under_the_whole(application):
    for _ in range(2):
        make_owner(application.lead)

    file = fill_in(application)

    assert {owner.ownership_percent for owner in file.owners} == {Decimal("33.3333")}


def test_of_two_control_persons_one_is_left(application):
    owners = [make_owner(application.lead, is_control_person=True) for _ in range(2)]

    file = fill_in(application)

    marked = [owner.pk for owner in file.owners if owner.is_control_person]
    assert marked == [owners[0].pk]


def test_a_complete_lead_is_left_alone(db):
    fill_in(make_complete())

    assert not Event.objects.exists()


def test_a_lead_that_was_submitted_is_not_touched(application):
    Application.objects.update(status=Status.SUBMITTED)

    with pytest.raises(LeadLocked):
        fill_in(application)
