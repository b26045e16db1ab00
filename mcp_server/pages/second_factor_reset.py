"""Propose to reset the second factor of a colleague or a customer who has lost it."""

from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from banking.errors import StepRefused
from banking.models import User
from mcp_server.pages.base_page import signed_in
from mcp_server.services import second_factor_resets

PROPOSED = "Reset of two-step verification proposed."


@require_POST
def reset(request: HttpRequest, pk: int) -> HttpResponse:
    """Propose, for a member of staff, to reset a user's second factor; log the step in the admin.

    Raises: PermissionDenied without the permission to change users, for the factor of the member of
    staff, and for that of a superuser unless the member of staff is a superuser, too.
    """
    if not _may_reset_anybody(request):
        raise PermissionDenied
    user, by = get_object_or_404(User, pk=pk), signed_in(request)
    if by.pk == user.pk or (user.is_superuser and not by.is_superuser):
        raise PermissionDenied
    try:
        with transaction.atomic():  # no proposal without its log entry
            second_factor_resets.propose_reset(user, by=by, at=timezone.now())
            LogEntry.objects.log_actions(by.pk, [user], CHANGE, PROPOSED)
    except StepRefused as exc:
        messages.error(request, str(exc))
    else:
        messages.warning(
            request,
            "Proposed. When a second administrator has confirmed it, in the list “Proposed "
            "changes”, the person must set up two-step verification again.",
        )
    if user.is_staff:
        return redirect("admin:banking_user_change", user.pk)
    return redirect("admin:banking_staffchange_changelist")


def _may_reset_anybody(request: HttpRequest) -> bool:
    """Return whether the signed-in user is of staff and may change users.

    `reset` checks further for whom the factor is reset.
    """
    user = request.user
    return user.is_authenticated and user.is_staff and user.has_perm("banking.change_user")
