"""Requirements: how staff read what is required, and of whom."""

from foundation.backoffice.screens import link_to
from onboarding.choices import LlcFileType


def kinds_in_words(types):
    """Return kinds of document as one phrase."""
    if len(types) == len(LlcFileType):
        return "Any kind"
    return " or ".join(str(LlcFileType(kind).label) for kind in types)


def whose(file, ubo_id):
    """Return a link to the owner whom something is about; nobody's is the applicant's."""
    for owner in file.owners:
        if str(owner.external_id) == str(ubo_id):
            return link_to(owner, owner.full_name or owner.email or "No name yet")
    return "The applicant" if ubo_id is None else "An owner who was removed"
