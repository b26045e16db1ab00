"""Consents: the table of texts that an applicant signed."""

from operator import attrgetter, methodcaller

from foundation.backoffice.cells import table_of, timestamp
from onboarding.queries import evidence


def consent_table(application, file):
    """Return the signed texts of an application in the order of the signatures.

    `file` is its lead file, or None for a user who may not view the answers.
    """
    digests = evidence.compute_answers_digests(file.people) if file else {}
    cells = {
        "Text": methodcaller("get_text_display"),
        "Answers": lambda consent: _answers(consent, digests),
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


def _answers(consent, digests):
    """Return whether the answers are those that were signed; empty where that is not known."""
    if not (consent.answers_digest and digests):
        return ""
    if consent.answers_version not in digests:
        return "cannot be compared"
    is_same = consent.answers_digest == digests[consent.answers_version]
    return "as signed" if is_same else "changed since"


def _code(consent):
    if consent.code_entered_at:
        return timestamp(consent.code_entered_at)
    return "waived by contract with the partner" if consent.is_code_waived else ""
