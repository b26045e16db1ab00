"""The documents of a case: the sides of a card stand together."""

from onboarding.admin.case_documents import documents_of
from onboarding.choices import DocumentStatus
from onboarding.queries.leads import open_lead_file
from tests.factories import make_application, make_document, make_lead, make_owner

CARD = "GOVERNMENT_IDENTIFICATION"


def test_the_sides_of_a_card_stand_together_the_front_first(db):
    lead = make_lead()
    grace = make_owner(lead, first_name="Grace")
    application = make_application(lead)
    make_document(lead, llc_file_type=CARD, side="BACK", status=DocumentStatus.REPLACED)
    make_document(lead, llc_file_type=CARD, side="BACK")
    make_document(lead, llc_file_type=CARD, side="FRONT", owner=grace)
    make_document(lead, llc_file_type="UTILITY_BILL")
    make_document(lead, llc_file_type=CARD, side="FRONT")

    rows = documents_of(open_lead_file(application))

    assert [(row["kind"], row["side"], row["whose"]) for row in rows] == [
        ("Government identification", "Front side", ""),
        ("Government identification", "Back side", ""),
        ("Utility bill", "", ""),
        ("Government identification", "Front side", "Grace"),
        ("Government identification", "Back side", ""),
    ]
