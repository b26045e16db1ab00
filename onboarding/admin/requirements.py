"""Requirements: document kinds and owners as text for staff."""

from foundation.backoffice.screens import link_to
from onboarding.choices import LlcFileType


def kinds_in_words(types):
    """Return the labels of document kinds as one phrase."""
    if len(types) == len(LlcFileType):
        return "Any kind"
    return " or ".join(str(LlcFileType(kind).label) for kind in types)


def whose(file, ubo_id):
    """Return a link to the owner with this id, or a text for the applicant or a removed owner."""
    for owner in file.owners:
        if str(owner.external_id) == str(ubo_id):
            return link_to(owner, owner.full_name or owner.email or "No name yet")
    return "The applicant" if ubo_id is None else "An owner who was removed"
