"""The groups of the members of staff."""

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.models import Group
from django.db import transaction
from django.utils import timezone

from banking.admin.proposed_rows import ProposedFormsAdmin
from banking.services import access_changes, staff_accounts

admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(ProposedFormsAdmin, DjangoGroupAdmin):
    """Groups. A new group, another name and other permissions are proposals.

    A deletion takes access away: it needs one person, and is a staff event.
    """

    def propose(self, row, values, *, by, at):
        said = {name: values[name] for name in ("name", "permissions")}
        access_changes.propose_group(row or Group(), **said, by=by, at=at)

    def delete_model(self, request, obj):
        staff_accounts.record_group_deletion(obj, by=request.user, at=timezone.now())
        super().delete_model(request, obj)

    def delete_queryset(self, request, queryset):
        with transaction.atomic():
            for group in queryset:
                self.delete_model(request, group)
