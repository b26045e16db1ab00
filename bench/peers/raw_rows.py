"""The rows of a new lead, written by one statement: what the raw peers share."""

from datetime import datetime
from typing import Any

from bench.peers import keys
from bench.peers.changes import wire

KEY = """
    SELECT k.secret_digest, k.expires_at, k.revoked_at, p.suspended_at, p.id
    FROM onboarding_apikey k JOIN onboarding_partner p ON p.id = k.partner_id
    WHERE k.access_key = %s
"""
PERSON = {
    "phone_number": "", "ssn": "", "ssn_index": "", "ssn_last_four_index": "",
    "birth_date": None, "first_name": "", "last_name": "",
    "passport_number": "", "id_gov_number": "", "id_country": "",
    "id_expiration_date": None, "ownership_percent": None, "is_control_person": None, "title": "",
    "identity_status": "PENDING", "supplied_by": {}, "corrected": [],
}  # fmt: skip
LEAD = {
    **PERSON, "line1": "", "line2": "", "city": "", "state": "", "country": "", "postal_code": "",
    "ein": "", "ein_index": "", "ein_last_four_index": "", "business_name": "",
    "business_address": {}, "mailing_address": {}, "business_type": "",
    "incorporation_state": "", "unique_id": "", "duns": "", "naics_code": "",
    "campaign": "", "metadata": {}, "edd_answers": [], "event_count": 1, "last_digest": "",
    "last_sequence": 1, "published_sequence": 0,
}  # fmt: skip
OWNER = {**PERSON, "email": "", "role": "", "address": {}}
APPLICATION = {
    "attempt": 1, "is_current": True, "status": "CREATED", "link_version": 1,
    "document_requests": [], "reminders_sent": 0, "applicant_text": "", "risk": "",
    "risk_points": 0, "risk_reasons": [], "worst_result": "",
}  # fmt: skip
EVENT = {
    "number": 1, "sequence": 1, "type": "application.created", "role": "PARTNER", "who": "",
    "status": "CREATED", "previous_status": "", "details": {}, "request_id": "",
    "previous_digest": "", "digest": "",
}  # fmt: skip
DIGITS = {"ssn", "ein", "duns"}
PARTS = ["owners", "question", "answer", "question_id"]
NAMES = {wire(name): name for name in [*LEAD, *OWNER, *PARTS]} | {"metadata": "metadata"}


def insert() -> str:
    """Return the statement; its four parameters are JSON: lead, application, owners and event."""
    lead = ", ".join([*LEAD, "email", "external_id", "partner_id", "created_at", "updated_at"])
    times = ["external_id", "status_changed_at", "created_at", "remind_at"]
    access = ["link_digest", "link_expires_at", "token_digest", "token_expires_at"]
    application = ", ".join([*APPLICATION, *times, *access])
    owner = ", ".join([*OWNER, "external_id", "created_at"])
    event = ", ".join([*EVENT, "external_id", "occurred_at"])
    return f"""
    WITH lead AS (
        INSERT INTO onboarding_lead ({lead})
        SELECT {lead} FROM jsonb_populate_record(NULL::onboarding_lead, %s::jsonb)
        RETURNING id
    ), application AS (
        INSERT INTO onboarding_application ({application}, lead_id)
        SELECT {application}, (SELECT id FROM lead)
        FROM jsonb_populate_record(NULL::onboarding_application, %s::jsonb)
        RETURNING id
    ), owner AS (
        INSERT INTO onboarding_owner ({owner}, lead_id)
        SELECT {owner}, (SELECT id FROM lead)
        FROM jsonb_populate_recordset(NULL::onboarding_owner, %s::jsonb)
    )
    INSERT INTO onboarding_event ({event}, lead_id, application_id)
    SELECT {event}, (SELECT id FROM lead), (SELECT id FROM application)
    FROM jsonb_populate_record(NULL::onboarding_event, %s::jsonb)
    """  # noqa: S608 - the names of columns are ours


def new_rows(sent: dict[str, Any], partner_id: int, now: datetime) -> tuple[list[Any], keys.Access]:
    """Return the rows of a lead with its owners, and the way into its application."""
    at = now.isoformat()
    application_id = str(keys.new_id())
    access = keys.grant(application_id, 1, now)
    values = columns(sent)
    owners = [
        {**OWNER, **columns(owner), "external_id": str(keys.new_id()), "created_at": at}
        for owner in values.pop("owners", [])
    ]
    lead = {
        **LEAD, **values, "external_id": str(keys.new_id()), "partner_id": partner_id,
        "created_at": at, "updated_at": at,
    }  # fmt: skip
    application = {
        **APPLICATION, "external_id": application_id, "status_changed_at": at, "created_at": at,
        **{name: str(value) for name, value in access.columns.items() if value},
    }  # fmt: skip
    event = {**EVENT, "external_id": str(keys.new_id()), "occurred_at": at}
    return [lead, application, owners, event], access


def columns(sent: dict[str, Any]) -> dict[str, Any]:
    """Return an object of a request under the names of columns; the numbers as digits."""
    named = {NAMES[name]: value for name, value in sent.items()}
    for name in DIGITS & set(named):
        named[name] = named[name].replace("-", "")
    for name in ("business_address", "mailing_address", "address"):
        if name in named:
            named[name] = {NAMES[key]: value for key, value in named[name].items()}
    if "edd_answers" in named:
        named["edd_answers"] = [
            {NAMES[key]: value for key, value in answer.items()} for answer in named["edd_answers"]
        ]
    return named
