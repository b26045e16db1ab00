"""The screen of proposed bank operations, and the number of open ones on the home page."""

from django.contrib import admin

from banking.admin.staff_changes import StaffChangeAdmin, figure_of_open
from banking.models import BankOperation
from banking.services import staff_changes
from foundation.backoffice.screens import aside, fieldset
from foundation.backoffice.site import figures


@admin.register(BankOperation)
class BankOperationAdmin(StaffChangeAdmin):
    """Bank operations. Users with the permission to change them may confirm or reject them."""

    fieldsets = [
        fieldset("Bank operation", "what", "about"),
        fieldset("People", "proposer", "proposed", "second", "settled"),
        aside("Record", "state", "digest", "external_id"),
    ]

    def of_this_screen(self, changes):
        return changes.filter(kind__in=staff_changes.list_operations())


@figures("Bank operations")
def open_operations(request):
    """Return a list with the figure of open operations; empty for users who may not see it."""
    if not request.user.has_perm("banking.view_bankoperation"):
        return []
    operations = BankOperation.objects.filter(kind__in=staff_changes.list_operations())
    return [figure_of_open(operations, "Operations that wait for a second person")]
