"""The Lead API in Django Ninja: the shapes of pydantic, Django's ORM, synchronous."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path
from ninja import NinjaAPI
from ninja.errors import ValidationError
from ninja.security import APIKeyHeader

from bench.peers import django_records, keys
from bench.peers.models import ApiKey
from bench.peers.shapes import CreatedOut, FileOut, LeadIn, UpdatedOut


class Key(APIKeyHeader):
    """The access key of the header."""

    param_name = "Authorization"

    def authenticate(self, request: HttpRequest, key: str | None) -> ApiKey | None:
        """Return the access key; None is answered with 401."""
        try:
            return django_records.check_key(key or "")
        except keys.Unauthorized:
            return None


api = NinjaAPI(auth=Key(), docs_url=None, openapi_url=None)


@api.exception_handler(ValidationError)
def refuse(request: HttpRequest, exc: ValidationError) -> HttpResponse:
    """Answer 400 with every fault, as the contract wants it."""
    errors = [{"field": one["loc"], "message": one["msg"]} for one in exc.errors]
    return api.create_response(request, {"errors": errors}, status=400)


@api.put("/lead", response={201: CreatedOut}, by_alias=True)
def create_lead(request: HttpRequest, sent: LeadIn) -> Any:
    """Register an applicant, or merge what is sent into the lead with that email."""
    owners = [owner.model_dump(exclude_none=True) for owner in sent.owners or []]
    documents = [dict(document) for document in sent.documents or []]
    partner = request.auth.partner
    made = django_records.create(partner, sent.email, sent.columns(), owners, documents)
    application, stored, access = made
    return 201, {
        **django_records.state(application, stored),
        "location": access.location,
        "location_expires_at": application.link_expires_at,
        "token": access.token,
        "token_expires_at": application.token_expires_at,
    }


@api.post("/lead/{uuid:customer_id}", response=UpdatedOut, by_alias=True)
def update_lead(request: HttpRequest, customer_id: UUID, sent: LeadIn) -> Any:
    """Merge what is sent into a lead."""
    owners = [owner.model_dump(exclude_none=True) for owner in sent.owners or []]
    updated = django_records.update(request.auth.partner, customer_id, sent.columns(), owners)
    if updated is None:
        raise Http404
    application, stored, changed = updated
    return {**django_records.state(application, stored), "updated_fields": changed}


@api.get("/lead/{uuid:customer_id}", response=FileOut, by_alias=True)
def get_lead(request: HttpRequest, customer_id: UUID) -> Any:
    """Return a lead with its owners and documents."""
    application = django_records.get(request.auth.partner, customer_id)
    if application is None:
        raise Http404
    lead = application.lead
    owners = list(lead.owners.all())
    return {
        **django_records.state(application, owners),
        "attempt": application.attempt,
        "status_changed_at": application.status_changed_at,
        "submitted_at": application.submitted_at,
        "created_at": lead.created_at,
        "updated_at": lead.updated_at,
        "lead": lead,
        "owners": owners,
        "documents": list(lead.documents.all()),
    }


urlpatterns = [path("service/api/v1/", api.urls)]
