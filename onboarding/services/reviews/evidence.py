"""Evidence: digests of what an applicant signs, and of all that a decision rests on."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models

from foundation.privacy.encryption import blind_index
from foundation.privacy.fields import EncryptedField
from onboarding.lead_fields import BUSINESS, PERSON
from onboarding.models import Application, Check, Document, Lead, Owner
from onboarding.queries.checks import list_current_checks
from onboarding.queries.leads import open_lead_file

ANSWERS_FORM = 2  # 1, without a version: every column
BOOKKEEPING = {  # of leads and owners: when rows were written, and where the chain of events ends
    "id",
    "created_at",
    "updated_at",
    "erased_at",
    "event_count",
    "last_sequence",
    "last_digest",
    "published_sequence",
}
SIGNED = {field.name for field in [*PERSON, *BUSINESS] if field.label} | {
    "email",
    "is_control_person",
    "role",
    "line1",
    "line2",
    "city",
    "state",
    "country",
    "postal_code",
    "address",
    "business_address",
    "mailing_address",
    "edd_answers",
}
EMPTY: tuple[Any, ...] = (None, "", [], {})
OF_APPLICATION = ["attempt", "document_requests", "risk", "risk_points", "risk_reasons", "status"]
OF_DOCUMENT = ["external_id", "sha256", "llc_file_type", "status", "owner_id"]
OF_CHECK = ["code", "result", "ubo_id", "note", "details"]  # equal in a repeated run


def compute_digest(application: Application) -> str:
    """Return the SHA-256, in hexadecimal, of all evidence: any change of it voids a proposal.

    Evidence: the application's attempt, status, risk and document requests, the lead and its owners
    without bookkeeping, documents, checklist, current checks. Shape: ASCII JSON with sorted keys
    and without spaces. Personal numbers are blind indexes, so a new PII_INDEX_KEY changes it.
    """
    file = open_lead_file(application)
    evidence = {
        "application": {name: getattr(application, name) for name in OF_APPLICATION},
        "lead": dict(_columns(application.lead)),
        "owners": [dict(_columns(owner)) for owner in file.owners],
        "documents": [_pick(document, OF_DOCUMENT) for document in file.documents],
        "checklist": [
            [one.code, one.target, one.ubo_id, one.accepted_types] for one in file.requirements
        ],
        "checks": sorted(
            (_pick(check, OF_CHECK) for check in list_current_checks(application)), key=_canonical
        ),
    }
    return _digest(evidence)


def compute_answers_digest(people: list[Lead | Owner]) -> str:
    """Return the SHA-256, in hexadecimal, of the answers that the applicant signs.

    Answers: the values of the lead and its owners that the applicant is shown before signing, not
    the documents, which may follow. Empty values are left out, so that a column added later changes
    no digest. `people` is `LeadFile.people`. Shape and personal numbers: as in `compute_digest`.
    """
    return _digest(
        [
            {
                name: value
                for name, value in _columns(person)
                if name in SIGNED and value not in EMPTY
            }
            for person in people
        ]
    )


def get_answers_version() -> str:
    """Return the form of digests of answers; digests of different forms cannot be compared.

    It names the rules of `compute_answers_digest` and the key of the blind indexes within.
    """
    return f"{ANSWERS_FORM}.{blind_index('answers', context='evidence.version')[:8]}"


def _digest(value: Any) -> str:
    return hashlib.sha256(_canonical(value).encode()).hexdigest()


def _columns(person: Lead | Owner) -> Iterator[tuple[str, Any]]:
    """Yield name and value of a person's columns, with blind indexes for personal numbers."""
    for field in person._meta.concrete_fields:
        value = getattr(person, field.attname)
        if field.name in BOOKKEEPING:
            continue
        if isinstance(field, EncryptedField):
            value = blind_index(value, context=f"evidence.{field.name}")
        elif isinstance(field, models.DecimalField) and value is not None:
            value = f"{value:.{field.decimal_places}f}"
        yield field.name, value


def _pick(row: Document | Check, names: list[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), cls=DjangoJSONEncoder)
