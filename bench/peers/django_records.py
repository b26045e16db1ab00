"""Find, create and change leads by Django's ORM: what Django Ninja and plain DRF share."""

import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from bench.peers import keys
from bench.peers.changes import merge, wire
from bench.peers.models import ApiKey, Application, Document, Event, Lead, Owner, Partner

CREATED, CHANGED = "application.created", "lead.changed"


def check_key(header: str) -> ApiKey:
    """Return the access key of the header, its partner with it. Raises: Unauthorized."""
    access_key, secret = keys.read_credentials(header)
    key = ApiKey.objects.select_related("partner").filter(access_key=access_key).first()
    if key is None or not keys.opens(key.secret_digest, secret):
        raise keys.Unauthorized
    if key.revoked_at or key.expires_at <= timezone.now() or key.partner.suspended_at:
        raise keys.Unauthorized
    return key


def find(partner: Partner, **wanted: Any) -> Application | None:
    """Return the current application of a lead, both locked."""
    found = Application.objects.filter(is_current=True, lead__partner=partner, **wanted)
    locked = found.filter(lead__erased_at=None).select_related("lead")
    return locked.select_for_update(of=("self", "lead")).first()


@transaction.atomic
def create(
    partner: Partner,
    email: str,
    values: Mapping[str, Any],
    owners: Iterable[Mapping[str, Any]],
    documents: Iterable[Mapping[str, Any]],
) -> tuple[Application, list[Owner], keys.Access]:
    """Register an applicant, or merge what is sent into the lead with that email."""
    now = timezone.now()
    application = find(partner, lead__email=email)
    if application is None:
        application, stored = _register(partner, email, values, owners, now)
        access = _grant(application, now)
        application.save()
        _note(application, CREATED, now, {})
    else:
        stored, _ = _change(application, values, owners, now)
        access = _grant(application, now)
        application.save(update_fields=[*access.columns])
    _store(application.lead, documents, now)
    return application, stored, access


@transaction.atomic
def update(
    partner: Partner,
    customer_id: Any,
    values: Mapping[str, Any],
    owners: Iterable[Mapping[str, Any]],
) -> tuple[Application, list[Owner], list[str]] | None:
    """Merge what is sent into a lead; return it with the names of what changed."""
    application = find(partner, lead__external_id=customer_id)
    if application is None:
        return None
    stored, changed = _change(application, values, owners, timezone.now())
    return application, stored, changed


def get(partner: Partner, customer_id: Any) -> Application | None:
    """Return the current application of a lead, with all that belongs to it."""
    found = Application.objects.filter(is_current=True, lead__partner=partner)
    whole = found.select_related("lead").prefetch_related("lead__owners", "lead__documents")
    return whole.filter(lead__external_id=customer_id, lead__erased_at=None).first()


def state(application: Application, owners: list[Owner]) -> dict[str, Any]:
    """Return what every answer has."""
    lead = application.lead
    return {
        "customer_id": lead.external_id,
        "person_id": lead.external_id,
        "partner_supplied_id": lead.unique_id,
        "ubo_data": owners,
        "application_id": application.external_id,
        "status": application.status,
        "metadata": lead.details,
    }


def _register(
    partner: Partner,
    email: str,
    values: Mapping[str, Any],
    owners: Iterable[Mapping[str, Any]],
    now: datetime,
) -> tuple[Application, list[Owner]]:
    lead = Lead.objects.create(
        partner=partner, email=email, created_at=now, updated_at=now, event_count=1,
        last_sequence=1, **values,
    )  # fmt: skip
    stored = [Owner(lead=lead, created_at=now, **owner) for owner in owners]
    Owner.objects.bulk_create(stored)
    return Application(lead=lead, status_changed_at=now, created_at=now), stored


def _grant(application: Application, now: datetime) -> keys.Access:
    access = keys.grant(application.external_id, application.link_version, now)
    for name, value in access.columns.items():
        setattr(application, name, value)
    return access


def _change(
    application: Application,
    values: Mapping[str, Any],
    owners: Iterable[Mapping[str, Any]],
    now: datetime,
) -> tuple[list[Owner], list[str]]:
    lead = application.lead
    stored = list(lead.owners.all())
    known = {owner.email: owner for owner in stored}
    changed = merge(lead, values)
    columns = [*changed]
    for sent in owners:
        owner = known.get(sent.get("email", ""))
        if owner is None:
            stored.append(Owner.objects.create(lead=lead, created_at=now, **sent))
            changed.append("owners")
        elif names := merge(owner, sent):
            owner.save(update_fields=names)
            changed.append("owners")
    changed = sorted({wire(name) for name in changed})
    if changed:
        lead.updated_at = now
        lead.event_count += 1
        lead.save(update_fields=[*columns, "updated_at", "event_count"])
        _note(application, CHANGED, now, {"changed": changed})
    return stored, changed


def _note(application: Application, kind: str, now: datetime, details: dict[str, Any]) -> None:
    lead = application.lead
    Event.objects.create(
        lead=lead,
        application=application,
        number=lead.event_count,
        sequence=lead.last_sequence if kind == CREATED else None,
        type=kind,
        status=application.status,
        details=details,
        occurred_at=now,
    )


def _store(lead: Lead, documents: Iterable[Mapping[str, Any]], now: datetime) -> None:
    rows = []
    for sent in documents:
        content = sent["content"]
        name = f"leads/{lead.external_id}/{keys.new_id()}"
        keys.write_file(keys.FOLDER / name, content)
        rows.append(
            Document(
                lead=lead,
                llc_file_type=sent.get("llc_file_type") or "",
                file_name=sent["file_name"],
                content_type=sent["content_type"],
                size_bytes=len(content),
                sha256=hashlib.sha256(content).hexdigest(),
                file=name,
                uploaded_at=now,
            )
        )
    Document.objects.bulk_create(rows)
