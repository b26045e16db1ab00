import pytest

from onboarding.choices import VerificationKind
from onboarding.models import VerificationRequest
from onboarding.queries import verifications
from onboarding.queries.leads import open_lead_file
from onboarding.queries.verifications import Party
from tests.factories import NOON, later, make_application, make_owner


@pytest.fixture
def application(db):
    application = make_application()
    lead = application.lead
    lead.first_name, lead.business_address = "Ada", {"line1": "1 Way", "postalCode": "10001"}
    lead.save()
    make_owner(lead, first_name="Grace", address={"city": "Austin", "country": "US"})
    return application


def test_people_are_parties_of_the_identity_and_the_business_of_all_else(application):
    file = open_lead_file(application)
    parties = {kind: verifications.list_parties(file, kind) for kind in VerificationKind}

    assert [one.person for one in parties[VerificationKind.IDENTITY]] == file.people
    assert [one.person for one in parties[VerificationKind.ADDRESS]] == [file.lead]


def test_a_subject_has_the_named_fields_only(application):
    owner = application.lead.owners.get()
    person, business = Party(VerificationKind.IDENTITY, owner), VerificationKind.ADDRESS

    described = verifications.describe_subject(person, ["firstName", "ssn", "address"])

    assert described == {
        "firstName": "Grace",
        "ssn": "",
        "address": {"city": "Austin", "country": "US"},
    }
    assert verifications.describe_subject(
        Party(business, application.lead), ["businessAddress"]
    ) == {"businessAddress": {"line1": "1 Way", "postalCode": "10001"}}


def test_a_request_is_current_while_the_values_are_as_they_were(application):
    party = Party(VerificationKind.IDENTITY, application.lead)
    request = VerificationRequest(sent='{"firstName": "Ada", "ssn": ""}')

    assert verifications.is_current(request, party)
    application.lead.ssn = "123-45-6789"
    assert not verifications.is_current(request, party)


def test_open_requests_are_counted_by_provider(application):
    for number, status in enumerate(["WAITING", "SENT", "UNANSWERED"]):
        VerificationRequest.objects.create(
            application=application,
            provider="acme",
            kind="IDENTITY",
            party_id=application.lead.external_id,
            sent="{}",
            sent_digest=str(number),
            status=status,
            asked_at=NOON,
            deadline=later(hours=1),
            settled_at=NOON if status == "UNANSWERED" else None,
        )

    assert verifications.count_open_requests() == {"acme": 2}
