"""Each type of event is published, or kept from partners for a reason."""

from onboarding.choices import PUBLISHED, EventType

NO_STATUS = "it changes no status, and the answer to a read of the lead has it"
APPLICANTS = "between the bank and the applicant"
BANKS = "the bank's own work"
NOT_PUBLISHED = {
    EventType.CHANGED: NO_STATUS,
    EventType.DOCUMENT_REPLACED: NO_STATUS,
    EventType.LINK_REPLACED: "the partner asked for it, or the applicant was mailed the link",
    EventType.ENTERED: APPLICANTS,
    EventType.CONSENTED: APPLICANTS,
    EventType.REMINDED: APPLICANTS,
    EventType.INVITED: APPLICANTS,
    EventType.ERASED: "nothing is left to be told",
    EventType.CHECKED: BANKS,
    EventType.CHECK_TICKED: BANKS,
    EventType.CLAIMED: BANKS,
    EventType.RELEASED: BANKS,
    EventType.REASSIGNED: BANKS,
    EventType.NOTED: BANKS,
    EventType.PROPOSED: BANKS,
    EventType.PROPOSAL_WITHDRAWN: BANKS,
    EventType.PROPOSAL_REFUSED: BANKS,
    EventType.PROPOSAL_VOIDED: BANKS,
    EventType.DOCUMENT_OPENED: BANKS,
    EventType.KIND_CHANGED: BANKS,
    EventType.NUMBER_REVEALED: BANKS,
    EventType.EXPORTED: BANKS,
}


def test_each_type_is_published_or_kept_from_partners_for_a_reason():
    undecided = set(EventType) - PUBLISHED - NOT_PUBLISHED.keys()
    both = PUBLISHED & NOT_PUBLISHED.keys()

    assert not undecided, (
        f"Add {undecided} to PUBLISHED in onboarding/choices.py, or a reason in {__file__}."
    )
    assert not both, f"{both} are published: remove them from NOT_PUBLISHED in {__file__}."
