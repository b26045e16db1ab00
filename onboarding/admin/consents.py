"""Consents: the table of texts that an applicant and owners signed."""

from foundation.backoffice.cells import lines, table_of
from foundation.backoffice.screens import stack
from foundation.times import show_time
from onboarding.queries import evidence


def consent_table(application, file):
    """Return the table of the texts signed for an application, in the order of the signatures.

    `file` is its lead file, or None for a user who may not view the answers.
    """
    digests = _digests_by_signer(file) if file else {}
    cells = {
        "Text": _text,
        "By": lambda consent: "Owner" if consent.ubo_id else "Applicant",
        "Answers": lambda consent: _answers(consent, digests.get(consent.ubo_id)),
        "Signed": _signature,
        "From": _origin,
    }
    signed = application.consents.order_by("pk")
    return table_of("Consents", signed, cells, nothing="The applicant has not signed yet.")


def _digests_by_signer(file):
    """Return the digests of the present answers by signer: an owner's id, or None.

    None is the applicant, who signs for all people and holdings; an owner signs for one person.
    """
    owners = {one.external_id: [one] for one in file.owners if one.invitation_status}
    digests = {one: evidence.compute_answers_digests(people, []) for one, people in owners.items()}
    return {None: evidence.compute_answers_digests(file.people, file.holdings), **digests}


def _text(consent):
    edition = f"Version {consent.version}, {consent.language}"
    return stack(consent.get_text_display(), edition)


def _signature(consent):
    return stack(consent.signed_name, show_time(consent.agreed_at))


def _origin(consent):
    """Return the page, the mailed code, the address and the browser of a signature, in lines."""
    facts = [consent.get_entry_display(), _code(consent), consent.address, consent.user_agent]
    return lines(filter(None, facts))


def _answers(consent, digests):
    """Return in words whether the answers are as signed, changed since, or not comparable.

    The text is empty if the signature has no digest, or no present answers are known.
    """
    if not (consent.answers_digest and digests):
        return ""
    if consent.answers_version not in digests:
        return "cannot be compared"
    is_same = consent.answers_digest == digests[consent.answers_version]
    return "as signed" if is_same else "changed since"


def _code(consent):
    if consent.code_entered_at:
        return f"Code entered {show_time(consent.code_entered_at)}"
    return "Code waived by contract with the partner" if consent.is_code_waived else ""
