"""Standard reasons to reject or request documents, in the words that the applicant reads."""

from onboarding.choices import LlcFileType

IDENTITY = {LlcFileType.PASSPORT, LlcFileType.GOVERNMENT_IDENTIFICATION}
UNREADABLE = "We cannot read it. Please send a sharper picture, taken in good light."
CUT_OFF = "A part is cut off. Please send a picture that shows all four corners."
PAGES_MISSING = "Pages are missing. Please send the whole document."
OTHER_KIND = "This is not the kind of document that we asked for."
REJECTED_OF_KIND = {
    LlcFileType.PASSPORT: ["Please send the page with the photo."],
    LlcFileType.GOVERNMENT_IDENTIFICATION: ["Please send both sides of the card."],
    LlcFileType.UTILITY_BILL: [
        "It is older than three months. Please send a newer one.",
        "The address does not match the application.",
    ],
    LlcFileType.IRS_EIN_LETTER: ["The EIN does not match the application."],
    LlcFileType.SS4_DOCUMENT: ["The EIN does not match the application."],
    LlcFileType.OPERATING_AGREEMENT: ["It is not signed by all members."],
    LlcFileType.SIGNED_PARTNERSHIP_AGREEMENT: ["It is not signed by all partners."],
}
WANTED_FOR = {
    LlcFileType.IRS_EIN_LETTER: "To confirm the EIN of the business.",
    LlcFileType.SS4_DOCUMENT: "To confirm the EIN of the business.",
    LlcFileType.ARTICLES_OF_ORGANIZATION: "To confirm that the business is registered.",
    LlcFileType.ARTICLES_OF_INCORPORATION: "To confirm that the business is registered.",
    LlcFileType.LETTER_OF_REINSTATEMENT: "The state lists the business as not active.",
    LlcFileType.SIGNED_PARTNERSHIP_AGREEMENT: "To see who owns the business, and who decides.",
    LlcFileType.OPERATING_AGREEMENT: "To see who owns the business, and who decides.",
    LlcFileType.AMENDMENT_DOCUMENT: "The state's register does not match the application.",
    LlcFileType.UTILITY_BILL: "To confirm the address of the business.",
    LlcFileType.GOVERNMENT_IDENTIFICATION: "To confirm the person's identity.",
    LlcFileType.PASSPORT: "To confirm the person's identity.",
}
WANTED_AGAIN = [
    "The one that we have cannot be read.",
    "The one that we have has expired.",
    "The one that we have does not match the application.",
]


def list_rejections(kind: str, name: str) -> list[str]:
    """Return the standard reasons to reject a document about the person or business `name`.

    `kind` and `name` are empty if they are not known.
    """
    of_kind = REJECTED_OF_KIND.get(LlcFileType(kind), []) if kind else []
    other_name = f"The name on it is not {name}." if name else "The name on it is different."
    if kind in IDENTITY:
        expired = "It has expired. Please send one that is valid."
        return [UNREADABLE, CUT_OFF, expired, other_name, *of_kind, OTHER_KIND]
    return [UNREADABLE, PAGES_MISSING, other_name, *of_kind, OTHER_KIND]


def wanted_for(kind: LlcFileType) -> str:
    """Return the usual reason to ask for a document of this kind."""
    return WANTED_FOR[kind]
