"""Consents: the table of texts that an applicant signed."""

from foundation.backoffice.cells import Column, Table, timestamp

LABELS = (
    *("Text", "Version", "Language", "Signed by", "When"),
    *("Way in", "Mailed code", "IP address", "Browser"),
)


def consent_table(application):
    """Return the signed texts of an application in the order of the signatures."""
    return Table(
        title="Consents",
        columns=[Column(label) for label in LABELS],
        rows=[
            [
                consent.get_text_display(),
                consent.version,
                consent.language,
                consent.signed_name,
                timestamp(consent.agreed_at),
                consent.get_entry_display(),
                _code(consent),
                consent.address,
                consent.user_agent,
            ]
            for consent in application.consents.order_by("pk")
        ],
        nothing="The applicant has not signed yet.",
    )


def _code(consent):
    if consent.code_entered_at:
        return timestamp(consent.code_entered_at)
    return "not asked, by contract with the partner" if consent.is_code_waived else ""
