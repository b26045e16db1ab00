"""The base of screens whose rows two administrators add, change and delete."""

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.shortcuts import redirect
from django.utils import timezone

from banking.admin.staff_changes import PROPOSED
from banking.errors import StepRefused
from banking.services import row_changes


class ProposedFormsAdmin(admin.ModelAdmin):
    """A screen whose form is a proposal to a second administrator. Subclasses define `propose`."""

    def propose(self, row, values, *, by, at):
        """Propose the values of a row, or its deletion if `values` is None. Raises: StepRefused.

        If `row` is None, propose to add a row with these values.
        """
        raise NotImplementedError

    def changeform_view(self, request, object_id=None, form_url="", extra_context=None):
        row = self.get_object(request, unquote(object_id)) if object_id else None
        if request.method == "POST" and self._may_save(request, row, object_id):
            form = self.get_form(request, row, change=bool(row))(request.POST, instance=row)
            if form.is_valid():
                saved = self.get_object(request, unquote(object_id)) if object_id else None
                return self._propose(request, saved, form.cleaned_data)
        return super().changeform_view(request, object_id, form_url, extra_context)

    def save_model(self, *args, **kwargs):
        """Refuse to save a row directly: changes are proposals.

        Raises: PermissionDenied.
        """
        raise PermissionDenied

    def _may_save(self, request, row, object_id):
        if object_id is None:
            return self.has_add_permission(request)
        return row is not None and self.has_change_permission(request, row)

    def _propose(self, request, row, values):
        try:
            self.propose(row, values, by=request.user, at=timezone.now())
        except StepRefused as exc:
            self.message_user(request, str(exc), messages.ERROR)
        else:
            self.message_user(request, PROPOSED, messages.WARNING)
        return redirect(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist")


class ProposedRowsAdmin(ProposedFormsAdmin):
    """A screen of rules: each change and deletion is proposed to a second administrator."""

    kind = None  # of the changes, as `row_changes.register` returns it

    def propose(self, row, values, *, by, at):
        row_changes.propose(self.kind, row, values, by=by, at=at)

    def get_actions(self, request):
        """Return no action: each row is deleted by a proposal of its own."""
        return {}

    def delete_view(self, request, object_id, extra_context=None):
        row = self.get_object(request, unquote(object_id))
        if request.method == "POST" and row and self.has_delete_permission(request, row):
            return self._propose(request, row, None)
        return super().delete_view(request, object_id, extra_context)

    def delete_model(self, request, obj):
        """Refuse to delete a row directly: deletions are proposals. Raises: PermissionDenied."""
        raise PermissionDenied


class ProposedValuesAdmin(ProposedRowsAdmin):
    """A screen whose rows the record feed alone adds and removes; staff propose changed values."""

    def has_add_permission(self, request):
        return False

    def has_delete_permission(self, request, obj=None):
        return False
