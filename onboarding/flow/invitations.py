"""The page of an invitation link for a business."""

from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from banking.models import Referral
from banking.queries import accountants


@never_cache
@require_safe
def join(request: HttpRequest, invite_code: str) -> HttpResponse:
    """Show who invited the business, and how to ask for an account."""
    try:
        referral = accountants.get_invited(invite_code, at=timezone.now())
    except (Referral.DoesNotExist, accountants.NotInvited) as exc:
        gone = isinstance(exc, accountants.NotInvited)
        status = HTTPStatus.GONE if gone else HTTPStatus.NOT_FOUND
        name = "link_expired" if gone else "no_link"
        return render(request, f"onboarding/flow/refused/{name}.html", status=status)
    facts = {"referral": referral, "bank": settings.BANK_NAME, "phone": settings.BANK_PHONE}
    return render(request, "onboarding/flow/join.html", facts)
