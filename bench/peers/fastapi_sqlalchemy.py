"""The Lead API as most would write it today: FastAPI, SQLAlchemy 2 asynchronous, asyncpg.

It finds, merges and inserts by the ORM in one transaction per request, and answers pydantic models,
which FastAPI renders. It knows no idempotency, no encryption, no limits, no chain of events and no
log. `GET /transactions` is the search of the tools, as a plain page.
"""

import hashlib
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, FastAPI, Header, HTTPException
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.requests import Request
from fastapi.responses import JSONResponse
from sqlalchemy import String, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import contains_eager, joinedload, selectinload

from bench.peers import fastapi_search, keys
from bench.peers.changes import merge, wire
from bench.peers.shapes import CreatedOut, DocumentIn, FileOut, LeadIn, OwnerIn, UpdatedOut
from bench.peers.sqlalchemy_engine import Database
from bench.peers.sqlalchemy_models import ApiKey, Application, Document, Event, Lead, Owner

CREATED, CHANGED = "application.created", "lead.changed"


NO_OWNER = {  # all columns, so that owners with different ones are inserted together
    **{column.key: "" for column in Owner.__table__.columns if isinstance(column.type, String)},
    "identity_status": "PENDING",
    "supplied_by": {},
    "corrected": [],
    "address": {},
}
app = FastAPI()
app.include_router(fastapi_search.router)


@app.exception_handler(RequestValidationError)
async def refuse(_request: Request, exc: RequestValidationError) -> JSONResponse:
    """Answer 400 with every fault, as the contract wants it."""
    errors = [{"field": list(one["loc"]), "message": one["msg"]} for one in exc.errors()]
    return JSONResponse({"errors": errors}, status_code=400)


async def check_key(session: Database, authorization: Annotated[str, Header()] = "") -> ApiKey:
    """Return the access key of the header, its partner with it."""
    try:
        access_key, secret = keys.read_credentials(authorization)
    except keys.Unauthorized:
        raise HTTPException(401) from None
    found = select(ApiKey).options(joinedload(ApiKey.partner, innerjoin=True))
    key = await session.scalar(found.where(ApiKey.access_key == access_key))
    if key is None or not keys.opens(key.secret_digest, secret):
        raise HTTPException(401)
    if key.revoked_at or key.expires_at <= datetime.now(UTC) or key.partner.suspended_at:
        raise HTTPException(401)
    return key


Key = Annotated[ApiKey, Depends(check_key)]


@app.put("/service/api/v1/lead", status_code=201)
async def create_lead(sent: LeadIn, key: Key, session: Database) -> CreatedOut:
    """Register an applicant, or merge what is sent into the lead with that email."""
    now = datetime.now(UTC)
    known = select(Lead.id).where(Lead.partner_id == key.partner_id, Lead.email == sent.email)
    lead_id = await session.scalar(known)
    if lead_id is None:
        application = new_application(sent, key.partner_id, now)
        session.add(application)
        note(session, application, CREATED, now)
    else:
        application = await lock(session, Lead.id == lead_id)
        if changed := change(application.lead, sent, now):
            note(session, application, CHANGED, now, changed=sorted(map(wire, changed)))
    access = keys.grant(application.external_id, application.link_version, now)
    for name, value in access.columns.items():
        setattr(application, name, value)
    for one in sent.documents or []:
        session.add(await store_document(application.lead, one, now))
    await session.commit()
    return CreatedOut(
        **state(application),
        location=access.location,
        location_expires_at=application.link_expires_at,
        token=access.token,
        token_expires_at=application.token_expires_at,
    )


@app.post("/service/api/v1/lead/{customer_id}")
async def update_lead(customer_id: UUID, sent: LeadIn, key: Key, session: Database) -> UpdatedOut:
    """Merge what is sent into a lead."""
    now = datetime.now(UTC)
    wanted = Lead.partner_id == key.partner_id, Lead.external_id == customer_id
    application = await lock(session, *wanted)
    changed = sorted(map(wire, change(application.lead, sent, now)))
    if changed:
        note(session, application, CHANGED, now, changed=changed)
    await session.commit()
    return UpdatedOut(**state(application), updated_fields=changed)


@app.get("/service/api/v1/lead/{customer_id}")
async def get_lead(customer_id: UUID, key: Key, session: Database) -> FileOut:
    """Return a lead with its owners and documents."""
    stored = find(selectinload(Lead.documents))
    stored = stored.where(Lead.partner_id == key.partner_id, Lead.external_id == customer_id)
    application = await session.scalar(stored)
    if application is None:
        raise HTTPException(404)
    lead = application.lead
    return FileOut(
        **state(application),
        attempt=application.attempt,
        status_changed_at=application.status_changed_at,
        submitted_at=application.submitted_at,
        created_at=lead.created_at,
        updated_at=lead.updated_at,
        lead=lead,
        owners=lead.owners,
        documents=lead.documents,
    )


def find(*more: Any) -> Any:
    """Return the query of current applications, with the lead and its owners."""
    whole = contains_eager(Application.lead).options(selectinload(Lead.owners), *more)
    joined = select(Application).join(Application.lead).options(whole)
    return joined.where(Application.is_current, Lead.erased_at.is_(None))


async def lock(session: AsyncSession, *wanted: Any) -> Application:
    """Return the current application of a lead, both rows locked. Raises: HTTPException."""
    locked = find().where(*wanted).with_for_update(of=(Lead, Application))
    application = await session.scalar(locked)
    if application is None:
        raise HTTPException(404)
    return application


def new_application(sent: LeadIn, partner_id: int, now: datetime) -> Application:
    """Return the first attempt of a new lead."""
    new = {"details": {}, "unique_id": "", "event_count": 0, "last_sequence": 0, "documents": []}
    lead = Lead(
        **{**new, **sent.columns()},
        external_id=keys.new_id(),
        partner_id=partner_id,
        email=sent.email,
        owners=[new_owner(owner, now) for owner in sent.owners or []],
        created_at=now,
        updated_at=now,
    )
    return Application(
        external_id=keys.new_id(),
        lead=lead,
        status="CREATED",
        link_version=1,
        status_changed_at=now,
        created_at=now,
    )


def new_owner(sent: OwnerIn, now: datetime) -> Owner:
    """Return a new owner."""
    values = {**NO_OWNER, **sent.model_dump(exclude_none=True)}
    return Owner(external_id=keys.new_id(), created_at=now, **values)


def change(lead: Lead, sent: LeadIn, now: datetime) -> list[str]:
    """Merge what was sent into a stored lead and its owners, known by email."""
    changed = merge(lead, sent.columns())
    known = {owner.email: owner for owner in lead.owners}
    before = len(changed)
    for one in sent.owners or []:
        owner = known.get(one.email or "")
        if owner is None:
            lead.owners.append(new_owner(one, now))
            changed.append("owners")
        else:
            changed += ["owners" for _ in merge(owner, one.model_dump(exclude_none=True))]
    del changed[before + 1 :]
    if changed:
        lead.updated_at = now
    return changed


def note(
    session: AsyncSession, application: Application, kind: str, now: datetime, **details: Any
) -> None:
    """Add an event, which a worker would publish."""
    lead = application.lead
    lead.event_count += 1
    if kind == CREATED:
        lead.last_sequence += 1
    event = Event(
        lead=lead,
        application=application,
        number=lead.event_count,
        sequence=lead.last_sequence if kind == CREATED else None,
        type=kind,
        status=application.status,
        details=details,
        occurred_at=now,
    )
    session.add(event)


async def store_document(lead: Lead, sent: DocumentIn, now: datetime) -> Document:
    """Write a document to the private folder; return its row."""
    name = f"leads/{lead.external_id}/{keys.new_id()}"
    await run_in_threadpool(keys.write_file, keys.FOLDER / name, sent.content)
    return Document(
        lead=lead,
        llc_file_type=sent.llc_file_type or "",
        file_name=sent.file_name,
        content_type=sent.content_type,
        size_bytes=len(sent.content),
        sha256=hashlib.sha256(sent.content).hexdigest(),
        file=name,
        uploaded_at=now,
    )


def state(application: Application) -> dict[str, Any]:
    """Return what every answer has."""
    lead = application.lead
    return {
        "customer_id": lead.external_id,
        "person_id": lead.external_id,
        "partner_supplied_id": lead.unique_id,
        "ubo_data": lead.owners,
        "application_id": application.external_id,
        "status": application.status,
        "metadata": lead.details,
    }
