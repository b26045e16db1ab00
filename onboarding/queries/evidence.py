"""Evidence: digests of what an applicant signs, and of all that a decision rests on."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models

from foundation.privacy.encryption import blind_index, index_key_ids
from foundation.privacy.fields import BlindIndexField, EncryptedField
from onboarding.choices import CheckSource
from onboarding.lead_fields import BUSINESS, PERSON
from onboarding.models import Application, Check, Document, Lead, Owner
from onboarding.models.screening_hits import SDN
from onboarding.queries.checks import list_current_checks
from onboarding.queries.holdings import Holding, list_holdings, walk
from onboarding.queries.leads import open_lead_file
from onboarding.queries.screening_hits import list_verdicts

ANSWERS_FORM = 2  # 1, without a version: every column
BOOKKEEPING = {  # of leads and owners: when rows were written, and where the chain of events ends
    "confirmed",  # hashes of values, which are columns of their own
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
OF_VERIFICATION = {"request_id", "reference", "settled_at"}  # details that are no result
OF_CHECK = ["code", "result", "ubo_id", "note", "details"]  # equal in a repeated run


def compute_digest(application: Application) -> str:
    """Return the first of `compute_digests`, to be stored."""
    return compute_digests(application)[0]


def compute_digests(application: Application) -> list[str]:
    """Return the SHA-256, in hexadecimal, of all evidence: any change of it voids a proposal.

    There is one digest for each of PII_INDEX_KEYS, in their order: a stored digest may have been
    computed under a key that is not the first any more.

    Evidence: the application's attempt, status, risk and document requests, the lead and its owners
    without bookkeeping, documents, checklist, results of current checks, pairs of screening hits
    and the verdicts about them. Shape: ASCII JSON with sorted keys and without spaces. Personal
    numbers are blind indexes.
    """
    file = open_lead_file(application)
    evidence = {
        "application": {name: getattr(application, name) for name in OF_APPLICATION},
        "documents": [_pick(document, OF_DOCUMENT) for document in file.documents],
        "checklist": [
            [one.code, one.target, one.ubo_id, one.accepted_types] for one in file.requirements
        ],
        "checks": sorted(
            (_describe(check) for check in list_current_checks(application)), key=_canonical
        ),
        **({"hits": verdicts} if (verdicts := list_verdicts(application.lead)) else {}),
    }
    return [
        _digest(
            {
                **evidence,
                "lead": dict(_columns(application.lead, key_id)),
                "owners": [dict(_columns(owner, key_id)) for owner in file.owners],
                **({"holders": held} if (held := _holders(file.holdings, key_id)) else {}),
            }
        )
        for key_id in index_key_ids()
    ]


def compute_answers_digest(
    people: list[Lead | Owner], holdings: list[Holding] | None = None
) -> str:
    """Return the digest of the answers under the first blind index key, to be stored."""
    return compute_answers_digests(people, holdings)[get_answers_version()]


def compute_answers_digests(
    people: list[Lead | Owner], holdings: list[Holding] | None = None
) -> dict[str, str]:
    """Return the SHA-256, in hexadecimal, of the answers that the applicant signs.

    Answers: the values of the lead and its owners that the applicant is shown before signing, not
    the documents, which may follow. Empty values are left out, so that a column added later changes
    no digest. `people` is `LeadFile.people`, or one owner; `holdings` are those of the lead, read
    if they are not given, and not of one owner. Shape and personal numbers are as in
    `compute_digests`. There is one digest for each of PII_INDEX_KEYS, by its version, as
    `get_answers_version` returns it.
    """
    if holdings is None:
        holdings = list_holdings(people[0], people) if isinstance(people[0], Lead) else []
    return {
        get_answers_version(key_id): _digest(
            [
                {
                    name: value
                    for name, value in _columns(person, key_id)
                    if name in SIGNED and value not in EMPTY
                }
                for person in people
            ]
            + _holders(holdings, key_id)
        )
        for key_id in index_key_ids()
    }


def get_answers_version(key_id: str | None = None) -> str:
    """Return the version of digests of answers. Only digests of one version can be compared.

    The version names the rules of `compute_answers_digest`, and the key of the blind indexes in the
    digest: the first of PII_INDEX_KEYS, or the key with this id.
    """
    index = blind_index("answers", context="evidence.version", key_id=key_id)
    return f"{ANSWERS_FORM}.{index[-8:]}"


def _holders(holdings: list[Holding], key_id: str) -> list[dict[str, Any]]:
    """Return the values of trusts and companies that a digest covers, EINs as blind indexes."""
    return [
        {
            "kind": one.holder.kind,
            "name": one.holder.name,
            "ein": blind_index(one.holder.ein, context="evidence.ein", key_id=key_id),
            "share": f"{one.share:.4f}",
            "of_business": f"{one.of_business:.4f}",
            "is_rest_small": one.holder.is_rest_small,
            "stakes": [[str(of.person.external_id), f"{of.share:.4f}"] for of in one.stakes],
        }
        for one in walk(holdings)
    ]


def _digest(value: Any) -> str:
    return hashlib.sha256(_canonical(value).encode()).hexdigest()


def _columns(person: Lead | Owner, key_id: str) -> Iterator[tuple[str, Any]]:
    """Yield name and value of a person's columns, with indexes of the key for numbers."""
    for field in person._meta.concrete_fields:
        value = getattr(person, field.attname)
        if field.name in BOOKKEEPING or isinstance(field, BlindIndexField):
            continue
        if isinstance(field, EncryptedField):
            value = blind_index(value, context=f"evidence.{field.name}", key_id=key_id)
        elif isinstance(field, models.DecimalField) and value is not None:
            value = f"{value:.{field.decimal_places}f}"
        yield field.name, value


def _pick(row: Document | Check, names: list[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def _describe(check: Check) -> dict[str, Any]:
    """Return the parts of a check that the digest covers.

    Hits are covered as party, list and entry, without the wording of the list. A verification is
    covered by its result and reasons, without the request that it comes from.
    """
    result = _pick(check, OF_CHECK)
    if check.source == CheckSource.PROVIDER:
        details = {k: v for k, v in check.details.items() if k not in OF_VERIFICATION}
        return {**result, "note": "", "details": details}
    if hits := check.details.get("hits"):
        pairs = sorted(
            [
                hit["of"],
                hit.get("list", SDN),
                hit["entry"],
                *([hit["party"]] if "party" in hit else []),
            ]
            for hit in hits
        )
        result["details"] = {**check.details, "hits": pairs}
    return result


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), cls=DjangoJSONEncoder)
