"""Consents: the table of texts that an applicant signed."""

from operator import attrgetter, methodcaller

from foundation.backoffice.cells import table_of, timestamp


def consent_table(application):
    """Return the signed texts of an application in the order of the signatures."""
    cells = {
        "Text": methodcaller("get_text_display"),
        "Version": attrgetter("version"),
        "Language": attrgetter("language"),
        "Signed by": attrgetter("signed_name"),
        "When": lambda consent: timestamp(consent.agreed_at),
        "Page": methodcaller("get_entry_display"),
        "Code entered": _code,
        "IP address": attrgetter("address"),
        "Browser": attrgetter("user_agent"),
    }
    signed = application.consents.order_by("pk")
    return table_of("Consents", signed, cells, nothing="The applicant has not signed yet.")


def _code(consent):
    if consent.code_entered_at:
        return timestamp(consent.code_entered_at)
    return "waived by contract with the partner" if consent.is_code_waived else ""
