"""Consents: what an applicant agreed to, in which version, and under which name."""

from banking.admin.cells import Column, Table, moment


def consent_table(application):
    """Return what the applicant agreed to and certified, in the order of the signatures."""
    return Table(
        title="Consents",
        columns=[Column(label) for label in ("Text", "Version", "Language", "Signed by", "When")],
        rows=[
            [
                consent.get_text_display(),
                consent.version,
                consent.language,
                consent.signed_name,
                moment(consent.agreed_at),
            ]
            for consent in application.consents.order_by("pk")
        ],
        nothing="The applicant has not signed yet.",
    )
