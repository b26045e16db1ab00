"""Propose to reset the second factor of another member of staff who has lost it."""

from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from banking.choices import UserType
from banking.errors import StepRefused
from banking.models import User
from mcp_server.pages.base_page import signed_in
from mcp_server.services import second_factor

PROPOSED = "Reset of two-step verification proposed."


@require_POST
def reset(request: HttpRequest, pk: int) -> HttpResponse:
    """Propose to reset the second factor of a member of staff, and log the step."""
    colleague = get_object_or_404(User, pk=pk, user_type=UserType.STAFF)
    if not _may_reset(request, colleague):
        raise PermissionDenied
    by = signed_in(request)
    try:
        with transaction.atomic():  # no proposal without its log entry
            second_factor.propose_reset(colleague, by=by, at=timezone.now())
            LogEntry.objects.log_actions(by.pk, [colleague], CHANGE, PROPOSED)
    except StepRefused as exc:
        messages.error(request, str(exc))
    else:
        messages.warning(
            request,
            "Proposed. When a second administrator has confirmed it, in the list “Proposed "
            "changes”, the person must set up two-step verification again.",
        )
    return redirect("admin:banking_user_change", colleague.pk)


def _may_reset(request: HttpRequest, colleague: User) -> bool:
    """Return whether the signed-in user may propose to reset the second factor of a colleague.

    Not their own, and only superusers that of a superuser.
    """
    user = request.user
    if not (user.is_authenticated and user.is_staff and user.has_perm("banking.change_user")):
        return False
    by = signed_in(request)
    return by.pk != colleague.pk and (by.is_superuser or not colleague.is_superuser)
