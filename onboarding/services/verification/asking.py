"""Asking: the requests to providers that the checks of an application need."""

import hashlib
import json
from datetime import datetime

from django.conf import settings
from django.db.models import QuerySet

from foundation.privacy.encryption import blind_index, blind_indexes
from foundation.verification import registry
from foundation.verification.interface import Kind
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import VerificationKind, VerificationStatus
from onboarding.models import Application, VerificationRequest
from onboarding.models.verifications import OPEN_REQUEST
from onboarding.queries.leads import LeadFile, open_lead_file
from onboarding.queries.verifications import Party, describe_subject, list_parties

CONTEXT = "verification"
ASKED_IN = {
    Status.SUBMITTED,
    Status.ID_VERIFICATION,
    Status.DOCUMENTS_REQUIRED,
    Status.IN_REVIEW,
    Status.APPROVED_TEMPORARY,
}


def ask(application: Application, *, at: datetime, renews: bool = False) -> bool:
    """Record the requests that are missing for the present data of an application.

    The caller has locked the application. A worker sends the requests. A provider is asked once
    about the same data; with `renews`, a request that was not answered in time is sent again.
    Shape: whether the screening of a submitted application has to wait for open requests.
    """
    wanted = registry.list_providers() if application.status in ASKED_IN else {}
    if not wanted:
        return False
    file = open_lead_file(application)
    for kind, name in wanted.items():
        for party in list_parties(file, VerificationKind(kind.value)):
            _ask_about(file, kind, name, party, at=at, renews=renews)
    return list_awaited(at=at).filter(application=application).exists()


def list_awaited(*, at: datetime) -> QuerySet[VerificationRequest]:
    """Return the open requests of all applications that a screening waits for.

    They were asked less than VERIFICATION_WAIT ago.
    """
    since = at - settings.VERIFICATION_WAIT
    return VerificationRequest.objects.filter(OPEN_REQUEST, asked_at__gt=since)


def _ask_about(
    file: LeadFile, kind: Kind, name: str, party: Party, *, at: datetime, renews: bool
) -> None:
    """Record the request about one party, unless the provider was asked about the same values.

    With `renews`, such a request that was not answered in time is sent again.
    """
    subject = describe_subject(party, registry.get_provider(name).needs[kind])
    if not any(subject.values()):
        return
    sent = json.dumps(subject, sort_keys=True)
    fingerprint = hashlib.sha256(sent.encode()).hexdigest()
    of_party = VerificationRequest.objects.filter(
        application=file.application, provider=name, kind=kind, party_id=party.person.external_id
    )
    asked = of_party.filter(sent_digest__in=blind_indexes(fingerprint, context=CONTEXT))
    timing = {"asked_at": at, "due_at": at, "deadline": at + settings.VERIFICATION_DEADLINE}
    if asked.exists():
        if renews:
            lost = asked.filter(status=VerificationStatus.UNANSWERED)
            waiting = {"status": VerificationStatus.WAITING, "settled_at": None}
            lost.update(**waiting, **timing)
        return
    VerificationRequest.objects.create(
        application=file.application,
        provider=name,
        kind=kind,
        ubo_id=party.person.ubo_id,
        party_id=party.person.external_id,
        sent=sent,
        sent_digest=blind_index(fingerprint, context=CONTEXT),
        **timing,
    )
