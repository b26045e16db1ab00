"""Standard reasons for documents: why one is rejected or asked for, as the applicant reads it."""

from onboarding.choices import LlcFileType

IDENTITY = {LlcFileType.PASSPORT, LlcFileType.GOVERNMENT_IDENTIFICATION}
UNREADABLE = "We cannot read it. Please send a sharper picture, taken in good light."
CUT_OFF = "A part is cut off. Please send a picture that shows all four corners."
PAGES_MISSING = "Pages are missing. Please send the whole document."
OTHER_KIND = "This is another kind of document than the one that we asked for."
REJECTED_OF_KIND = {
    LlcFileType.PASSPORT: ["Please send the page with the photo."],
    LlcFileType.GOVERNMENT_IDENTIFICATION: ["Please send both sides of the card."],
    LlcFileType.UTILITY_BILL: [
        "It is older than three months. Please send a newer one.",
        "It shows another address than the application.",
    ],
    LlcFileType.IRS_EIN_LETTER: ["It shows another EIN than the application."],
    LlcFileType.SS4_DOCUMENT: ["It shows another EIN than the application."],
    LlcFileType.OPERATING_AGREEMENT: ["It is not signed by all members."],
    LlcFileType.SIGNED_PARTNERSHIP_AGREEMENT: ["It is not signed by all partners."],
}
WANTED_FOR = {
    LlcFileType.IRS_EIN_LETTER: "To confirm the EIN of the business.",
    LlcFileType.SS4_DOCUMENT: "To confirm the EIN of the business.",
    LlcFileType.ARTICLES_OF_ORGANIZATION: "To confirm that the business is registered.",
    LlcFileType.ARTICLES_OF_INCORPORATION: "To confirm that the business is registered.",
    LlcFileType.LETTER_OF_REINSTATEMENT: "The register says that the business is not active.",
    LlcFileType.SIGNED_PARTNERSHIP_AGREEMENT: "To see who owns the business, and who decides.",
    LlcFileType.OPERATING_AGREEMENT: "To see who owns the business, and who decides.",
    LlcFileType.AMENDMENT_DOCUMENT: "The register shows other data than the application.",
    LlcFileType.UTILITY_BILL: "To confirm the address of the business.",
    LlcFileType.GOVERNMENT_IDENTIFICATION: "To confirm who the person is.",
    LlcFileType.PASSPORT: "To confirm who the person is.",
}
WANTED_AGAIN = [
    "The one that we have cannot be read.",
    "The one that we have has expired.",
    "The one that we have shows other data than the application.",
]


def list_rejections(kind: str, name: str) -> list[str]:
    """Return the standard reasons to reject a document of this kind about a person or business."""
    of_kind = REJECTED_OF_KIND.get(LlcFileType(kind), []) if kind else []
    other_name = f"It shows another name than {name}." if name else "It shows another name."
    if kind in IDENTITY:
        expired = "It has expired. Please send one that is valid."
        return [UNREADABLE, CUT_OFF, expired, other_name, *of_kind, OTHER_KIND]
    return [UNREADABLE, PAGES_MISSING, other_name, *of_kind, OTHER_KIND]


def wanted_for(kind: LlcFileType) -> str:
    """Return why a document of this kind is asked for, if nobody says more."""
    return WANTED_FOR[kind]
