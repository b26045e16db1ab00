"""The groups of the members of staff."""

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.shortcuts import redirect
from django.utils import timezone

from banking.admin.staff_changes import PROPOSED
from banking.errors import StepRefused
from banking.services import access_changes

admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin):
    """Groups. A new group, another name and other permissions are proposals."""

    def changeform_view(self, request, object_id=None, form_url="", extra_context=None):
        group = self.get_object(request, unquote(object_id)) if object_id else None
        if request.method == "POST" and self._may_save(request, group, object_id):
            form = self.get_form(request, group, change=bool(group))(request.POST, instance=group)
            if form.is_valid():
                return self._propose(request, group, form.cleaned_data)
        return super().changeform_view(request, object_id, form_url, extra_context)

    def save_model(self, *args, **kwargs):
        """Refuse to save a row directly: changes are proposals.

        Raises: PermissionDenied.
        """
        raise PermissionDenied

    def _may_save(self, request, group, object_id):
        if object_id is None:
            return self.has_add_permission(request)
        return group is not None and self.has_change_permission(request, group)

    def _propose(self, request, group, said):
        saved = Group.objects.get(pk=group.pk) if group else Group()  # the form changed `group`
        try:
            access_changes.propose_group(
                saved,
                name=said["name"],
                permissions=said["permissions"],
                by=request.user,
                at=timezone.now(),
            )
        except StepRefused as exc:
            self.message_user(request, str(exc), messages.ERROR)
        else:
            self.message_user(request, PROPOSED, messages.WARNING)
        return redirect("admin:auth_group_changelist")
