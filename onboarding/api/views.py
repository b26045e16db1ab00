"""Leads: operations that validate, call one service and serialize."""

from collections.abc import Iterable
from itertools import chain, islice
from typing import Any

from django.utils import timezone
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from onboarding.api import examples, paging, schema, serializers
from onboarding.api import representations as out
from onboarding.api.document_representations import (
    DocumentsUploadedSerializer,
    RequirementSerializer,
)
from onboarding.api.errors import MAX_NAMED, error_item, language_of
from onboarding.api.parsers import open_body
from onboarding.api.partner_view import PartnerView, from_replica
from onboarding.api.request_serializers import BOOLEAN, Path
from onboarding.api.schema import operation
from onboarding.api.writes import Sent, read_key, write
from onboarding.choices import Permission, WarningCode
from onboarding.errors import ErrorCode, Fault, Invalid, Refused
from onboarding.names import pointer
from onboarding.queries import customer_changes
from onboarding.queries import leads as lead_queries
from onboarding.services.applications import attempts
from onboarding.services.documents import partner_documents
from onboarding.services.documents.file_store import FileStore
from onboarding.services.documents.intake import AttachedDocument
from onboarding.services.leads import amendments, owner_invitations, registration

NEW_LEAD = serializers.LeadSerializer()
LEAD_UPDATE = serializers.LeadUpdateSerializer()
UPLOAD = serializers.UploadSerializer()
CREATED = out.LeadCreatedSerializer()
UPDATED = out.LeadUpdatedSerializer()
UPLOADED = DocumentsUploadedSerializer()
REQUIREMENTS = RequirementSerializer(many=True)
SESSION = out.SessionSerializer()
OWNER_SESSION = out.OwnerSessionSerializer()
SESSION_REQUEST = serializers.NewSessionSerializer()
LEAD_FILE = out.LeadFileSerializer()
LEAD_LIST = out.LeadListSerializer()
WRITE, READ = Permission.LEAD_WRITE, Permission.LEAD_READ


class LeadsView(PartnerView):
    """Operations that create and list leads."""

    permissions = {"PUT": WRITE, "GET": READ}
    creating_methods = frozenset({"PUT"})

    @property
    def prefers_xml(self) -> bool:
        return self.request.method == "PUT"

    @operation(
        "createLead",
        request=serializers.LeadSerializer,
        responses={201: out.LeadCreatedSerializer, 200: out.PreviewSerializer},
        parameters=[schema.VALIDATE_ONLY],
        errors=[
            *schema.LEAD_FAULTS,
            *schema.DOCUMENT_FAULTS,
            ErrorCode.BAD_REQUEST,
            ErrorCode.UNIQUE_ID_IN_USE,
            ErrorCode.LEAD_LOCKED,
            ErrorCode.APPLICATION_CLOSED,
            ErrorCode.CUSTOMER_ALREADY_ONBOARDED,
        ],
        is_idempotent=True,
        examples=[examples.NEW_LEAD],
    )
    def put(self, request: Request) -> Response:
        """Register an applicant, and get the link to the pre-filled application.

        The same email registers nobody twice: what is sent is merged into the lead that is there.
        """
        return self.preview(request) if wants_preview(request) else self.create(request)

    @write(NEW_LEAD)
    def create(self, request: Request, sent: Sent, store: FileStore) -> Response:
        """Register the lead of the body."""
        made = registration.create_lead(
            partner=request.user, details=sent.values, store=store, at=timezone.now()
        )
        ignored = warnings(sent.unknown, kept=made.kept)
        answer = out.Answer(made.application, made.owners, made.access, warnings=ignored)
        return Response(CREATED.to_representation(answer), status=status.HTTP_201_CREATED)

    def preview(self, request: Request) -> Response:
        """Validate the lead in the body: return its errors and requirements, and store nothing."""
        with open_body(request) as body:
            read_key(request)  # unused, but an invalid key is refused
            requirements, faults = [], []
            try:
                details = NEW_LEAD.clean(body.data)
                file = registration.preview_lead(
                    partner=request.user, details=details, at=timezone.now()
                )
                requirements = file.requirements
            except Refused as exc:
                faults = exc.faults
            language = language_of(request)
            answer = {
                "valid": not faults,
                "errors": [error_item(fault, language) for fault in faults[:MAX_NAMED]],
                "warnings": warnings(NEW_LEAD.unknown(body.data)),
                "requirements": REQUIREMENTS.to_representation(requirements),
            }
            return Response(answer)

    @operation(
        "listLeads",
        responses={200: out.LeadListSerializer},
        parameters=schema.LIST_PARAMETERS,
        errors=[ErrorCode.BAD_REQUEST, *schema.LIST_FAULTS],
    )
    @from_replica
    def get(self, request: Request) -> Response:
        """List the partner's leads, the newest first."""
        partner = request.user
        query = paging.read_list_query(
            request.query_params, readers=paging.LEADS, owner=f"the leads of {partner.pk}"
        )
        found = lead_queries.search_applications(
            partner=partner, before=query.after, **query.filters
        )
        return Response(LEAD_LIST.to_representation(paging.take_page(found, query, key="lead_id")))

    def complete_replay(self, stored: dict[str, Any]) -> dict[str, Any]:
        """Return a stored answer with the link and a fresh token."""
        application, access = attempts.regrant_access(
            partner=self.request.user, customer_id=stored["customerId"], at=timezone.now()
        )
        answer = out.Answer(application, access=access)
        return {**stored, **SESSION.to_representation(answer)}


class OneLeadView(PartnerView):
    """Base of operations on one lead. Refuses an invalid customer id before the body is read."""

    def prepare(self, request: Request, **path: str) -> None:
        lead_queries.parse_customer_id(path["customer_id"])


class LeadView(OneLeadView):
    """Operations that get, update and withdraw a lead."""

    permissions = {"GET": READ, "POST": WRITE, "DELETE": WRITE}

    @property
    def prefers_xml(self) -> bool:
        return self.request.method == "POST"

    @operation(
        "getLead",
        responses={200: out.LeadFileSerializer},
        errors=[ErrorCode.LEAD_NOT_FOUND],
        parameters=[schema.CUSTOMER_ID],
    )
    def get(self, request: Request, customer_id: str) -> Response:
        """Get a lead with its owners, documents, requirements and decision."""
        file = lead_queries.get_lead_file(partner=request.user, customer_id=customer_id)
        return Response(represent_file(file))

    @operation(
        "updateLead",
        request=serializers.LeadUpdateSerializer,
        responses={200: out.LeadUpdatedSerializer},
        errors=[
            *schema.LEAD_FAULTS,
            *schema.DOCUMENT_FAULTS,
            ErrorCode.LEAD_NOT_FOUND,
            ErrorCode.EMAIL_IMMUTABLE,
            ErrorCode.UNIQUE_ID_IN_USE,
            ErrorCode.LEAD_LOCKED,
            ErrorCode.APPLICATION_CLOSED,
        ],
        parameters=[schema.CUSTOMER_ID],
        is_idempotent=True,
        examples=[examples.UPDATE],
    )
    @write(LEAD_UPDATE)
    def post(self, request: Request, sent: Sent, store: FileStore, customer_id: str) -> Response:
        """Update a lead: absent values are kept, null clears a value, documents are added."""
        amended = amendments.update_lead(
            partner=request.user,
            customer_id=customer_id,
            details=sent.values,
            store=store,
            at=timezone.now(),
        )
        answer = out.Answer(
            amended.application,
            amended.owners,
            documents=amended.files,
            updated_fields=amended.changed,
            warnings=warnings(sent.unknown, kept=amended.kept),
        )
        return Response(UPDATED.to_representation(answer))

    @operation(
        "withdrawLead",
        responses={200: out.LeadFileSerializer},
        errors=[ErrorCode.LEAD_NOT_FOUND, ErrorCode.INVALID_TRANSITION],
        parameters=[schema.CUSTOMER_ID],
    )
    def delete(self, request: Request, customer_id: str) -> Response:
        """Withdraw the application; creating the lead again opens a new attempt."""
        application = attempts.withdraw_lead(
            partner=request.user, customer_id=customer_id, at=timezone.now()
        )
        return Response(represent_file(lead_queries.open_lead_file(application)))


class LeadUploadView(OneLeadView):
    """Operation that adds documents to a lead."""

    permissions = {"PUT": WRITE}
    prefers_xml = True

    @operation(
        "uploadDocuments",
        request=serializers.UploadSerializer,
        responses={200: DocumentsUploadedSerializer},
        errors=[
            *schema.DOCUMENT_FAULTS,
            ErrorCode.DOCUMENT_LIST_EMPTY,
            ErrorCode.LEAD_NOT_FOUND,
            ErrorCode.APPLICATION_CLOSED,
        ],
        parameters=[schema.CUSTOMER_ID],
        is_idempotent=True,
        examples=[examples.UPLOAD],
    )
    @write(UPLOAD)
    def put(self, request: Request, sent: Sent, store: FileStore, customer_id: str) -> Response:
        """Add documents to a lead: all of them or none, and none of them twice."""
        application, attached = partner_documents.upload_documents(
            partner=request.user,
            customer_id=customer_id,
            incoming=sent.values["documents"],
            store=store,
            at=timezone.now(),
        )
        requirements = lead_queries.open_lead_file(application).requirements
        answer = out.Answer(application, documents=attached, requirements=requirements)
        return Response(UPLOADED.to_representation(answer))


class LeadSessionView(OneLeadView):
    """Operation that creates a token for a lead's application."""

    permissions = {"POST": WRITE}

    @operation(
        "renewSession",
        request=serializers.NewSessionSerializer,
        responses={200: out.SessionSerializer},
        errors=[ErrorCode.LEAD_NOT_FOUND, ErrorCode.APPLICATION_CLOSED],
        parameters=[schema.CUSTOMER_ID],
    )
    def post(self, request: Request, customer_id: str) -> Response:
        """Get a fresh token. The applicant's link stays, unless `rotateLink` replaces it."""
        with open_body(request, is_optional=True) as body:
            sent = SESSION_REQUEST.clean(body.data)
        application, access = attempts.renew_access(
            partner=request.user,
            customer_id=customer_id,
            rotates_link=bool(sent.get("rotate_link")),
            at=timezone.now(),
        )
        return Response(SESSION.to_representation(out.Answer(application, access=access)))


class OwnerSessionView(OneLeadView):
    """Operation that returns an owner's link to their own part."""

    permissions = {"POST": WRITE}

    @operation(
        "inviteOwner",
        request=serializers.NewSessionSerializer,
        responses={200: out.OwnerSessionSerializer},
        errors=[
            ErrorCode.LEAD_NOT_FOUND,
            ErrorCode.OWNER_NOT_FOUND,
            ErrorCode.APPLICATION_CLOSED,
            ErrorCode.LEAD_LOCKED,
            ErrorCode.REQUIRED_FIELD_MISSING,
            ErrorCode.DUPLICATE_UBO_EMAIL,
        ],
        parameters=[schema.CUSTOMER_ID, schema.UBO_ID],
    )
    def post(self, request: Request, customer_id: str, ubo_id: str) -> Response:
        """Get an owner's link to their own part; the first call invites the owner.

        Pass the link on to the owner. It is mailed by the bank only if the bank mails your links.
        The link stays, unless `rotateLink` replaces it. The owner fills it in on the bank's page.
        """
        with open_body(request, is_optional=True) as body:
            sent = SESSION_REQUEST.clean(body.data)
        application, invitation = owner_invitations.open_owner_access(
            partner=request.user,
            customer_id=customer_id,
            ubo_id=ubo_id,
            rotates_link=bool(sent.get("rotate_link")),
            at=timezone.now(),
        )
        answer = out.OwnerAccess(application, invitation)
        return Response(OWNER_SESSION.to_representation(answer))


def wants_preview(request: Request) -> bool:
    """Return whether the caller sent `validateOnly=true`.

    Raises: Invalid for other values than true and false: a guess could register a lead.
    """
    sent = request.query_params.get("validateOnly", "false").lower()
    if sent not in {"true", "false"}:
        raise Invalid([Fault(ErrorCode.INVALID_TYPE, ("validateOnly",), {"expected": BOOLEAN})])
    return sent == "true"


def warnings(unknown: Iterable[Path], *, kept: Iterable[Path] = ()) -> list[dict[str, str]]:
    """Return warnings, at most MAX_NAMED, about sent fields that were not stored.

    `kept` has the fields whose value the applicant or an owner has changed; `unknown` has fields
    that do not exist.
    """
    found = chain(
        (warning(WarningCode.VALUE_KEPT, path) for path in kept),
        (warning(WarningCode.UNKNOWN_FIELD, path) for path in unknown),
    )
    return list(islice(found, MAX_NAMED))


def warning(code: WarningCode, path: Path) -> dict[str, str]:
    """Return a warning about the value at `path`."""
    return {"code": code.value, "field": pointer(path), "message": code.label}


def represent_file(file: lead_queries.LeadFile) -> dict[str, Any]:
    """Serialize a lead with its owners, documents, requirements and decision."""
    answer = out.Answer(
        file.application,
        file.owners,
        documents=[AttachedDocument(document, is_duplicate=False) for document in file.documents],
        requirements=file.requirements,
        changes=customer_changes.list_newest_changes(file.application),
    )
    return LEAD_FILE.to_representation(answer)
