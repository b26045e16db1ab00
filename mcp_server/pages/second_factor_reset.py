"""Reset the second factor of another member of staff who has lost it."""

from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from banking.choices import UserType
from banking.models import User
from mcp_server.pages.base_page import signed_in
from mcp_server.services import second_factor

RESET = "Two-step verification reset."


@require_POST
def reset(request: HttpRequest, pk: int) -> HttpResponse:
    """Reset the second factor of a member of staff, mail them, and log the step."""
    colleague = get_object_or_404(User, pk=pk, user_type=UserType.STAFF)
    if not _may_reset(request, colleague):
        raise PermissionDenied
    with transaction.atomic():  # no reset without its log entry
        second_factor.reset(colleague, at=timezone.now())
        LogEntry.objects.log_actions(signed_in(request).pk, [colleague], CHANGE, RESET)
    message = "Two-step verification is reset. At the next sign-in, the user must set it up again."
    messages.success(request, message)
    return redirect("admin:banking_user_change", colleague.pk)


def _may_reset(request: HttpRequest, colleague: User) -> bool:
    """Return whether the signed-in user may reset the second factor of a colleague.

    Nobody resets their own, and only superusers reset that of a superuser.
    """
    user = request.user
    if not (user.is_authenticated and user.is_staff and user.has_perm("banking.change_user")):
        return False
    by = signed_in(request)
    return by.pk != colleague.pk and (by.is_superuser or not colleague.is_superuser)
