"""What the start page asks an applicant to have ready."""

from onboarding.flow.preparations import prepare
from tests.onboarding.services.leads.test_submissions import make_complete


def words(preparation):
    return [str(item) for item in preparation.items]


def test_who_is_known_by_the_email_alone_is_told_everything(make_flow, make_lead):
    flow = make_flow(make_lead(business_name=""))

    page = flow.get().content.decode()

    asked = prepare(flow.application)
    assert asked.minutes > 5
    assert len(asked.items) == 5
    assert [item for item in words(asked) if "if you do business alone" in item]  # a picture
    assert f"about {asked.minutes} minutes" in page
    assert "passport" in page


def test_who_is_known_well_is_asked_for_documents_alone(db):
    asked = prepare(make_complete(ownership_percent=100))

    assert asked.minutes <= 4
    assert not [item for item in words(asked) if "Social Security" in item or "25 percent" in item]


def test_a_sole_proprietor_needs_no_owners_and_no_ein(db):
    asked = prepare(make_complete(business_type="SSN", ssn="", ein="", ownership_percent=None))

    assert words(asked)[0].startswith("Your Social Security number")
    assert not [item for item in words(asked) if "EIN" in item or "25 percent" in item]
