"""Requirements: what an application still misses, and which documents were asked for."""

from datetime import datetime

from banking.admin.cells import Column, Table, day
from banking.admin.screens import link_to, stack
from onboarding.choices import LlcFileType
from onboarding.queries.leads import open_lead_file


def requirement_tables(application):
    """Return what is missing, as partner and applicant are told, and what was asked for."""
    file = open_lead_file(application)
    return [_missing(file), _requests(file)]


def _missing(file):
    return Table(
        title="Still missing",
        columns=[Column(label) for label in ("What", "Kind", "Of", "Until")],
        rows=[
            [
                stack(requirement.message, _kinds(requirement.accepted_types)),
                requirement.kind.capitalize() if requirement.kind != "EDD" else "EDD",
                _whose(file, requirement.ubo_id),
                day(requirement.due_date),
            ]
            for requirement in file.requirements
        ],
        nothing="Nothing.",
    )


def _requests(file):
    return Table(
        title="Documents asked for",
        columns=[Column(label) for label in ("Document", "Of", "When")],
        rows=[
            [
                stack(_kinds([request["llc_file_type"]]), request["reason"]),
                _whose(file, request.get("ubo_id")),
                day(datetime.fromisoformat(request["requested_at"])),
            ]
            for request in file.application.document_requests
        ],
        nothing="None beyond the checklist.",
    )


def _kinds(types):
    if len(types) == len(LlcFileType):
        return "Any kind"
    return " or ".join(str(LlcFileType(kind).label) for kind in types)


def _whose(file, ubo_id):
    """Return a link to the owner whom something is about; nobody's is the applicant's."""
    for owner in file.owners:
        if str(owner.external_id) == str(ubo_id):
            return link_to(owner, owner.full_name or owner.email or "No name yet")
    return "The applicant" if ubo_id is None else "An owner who was removed"
