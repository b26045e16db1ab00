"""The groups of the members of staff."""

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.models import Group
from django.utils import timezone

from banking.services import staff_accounts

admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin):
    """Groups. A permission added to a group extends the access of each member."""

    def save_related(self, request, form, formsets, change):
        super().save_related(request, form, formsets, change)
        added = {*form.cleaned_data["permissions"]} - {*form.initial.get("permissions", [])}
        if not added:
            return
        group, now = form.instance, timezone.now()
        texts = [f"{group} was given a permission: {one}." for one in sorted(map(str, added))]
        for member in group.user_set.order_by("pk"):
            staff_accounts.record_extension(member, texts, at=now)
