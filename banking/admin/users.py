"""The members of staff: their accounts and their roles. Customers are not shown here."""

from django.contrib import admin, messages
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.shortcuts import get_object_or_404, redirect
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_POST

from banking.admin.staff_changes import PROPOSED
from banking.admin.staff_forms import (
    MANY,
    NAMES,
    StaffForm,
    changed_names,
    proposed_access,
    removed_access,
)
from banking.admin.staff_rights import rights_of
from banking.choices import UserType
from banking.errors import StepRefused
from banking.models import User
from banking.services import access_changes, staff_accounts, staff_history
from banking.services.invitations import is_invited
from foundation.backoffice.screens import badge
from foundation.backoffice.site import role_names

KEPT_LOG = "entries in the log of the back office, which would be deleted too: deactivate instead"
POWERS = ["groups", "is_superuser", "user_permissions"]
DATES = ["last_login", "date_joined", "created_by", "confirmed_by", "access_changed_at"]


@admin.register(User)
class UserAdmin(admin.ModelAdmin):
    """Members of staff. Nobody sets a password here: an invitation is mailed to the person.

    Users with the permissions to change users and to view groups give roles to others. Only
    superusers give single permissions, edit superusers, and change the email of a user who has a
    password: a password can be reset by mail. A new account and more access are proposals, which a
    second administrator confirms; less access and names are saved at once. Each change is a staff
    event and is mailed to the person.
    """

    form = StaffForm
    list_display = ["email", "first_name", "last_name", "roles", "state", "last_login"]
    list_filter = ["is_active", "is_superuser", "groups"]
    ordering = ["email"]
    search_fields = ["email", "first_name", "last_name"]
    filter_horizontal = ["groups", "user_permissions"]
    readonly_fields = ["external_id", *DATES]
    fieldsets = [
        (None, {"fields": ["external_id", "email"]}),
        ("Person", {"fields": [*NAMES]}),
        ("Permissions", {"fields": ["is_active", *POWERS]}),
        ("Dates", {"fields": [*DATES]}),
    ]
    add_fieldsets = [(None, {"fields": ["email", *NAMES, "groups"]})]

    def get_queryset(self, request):
        staff = super().get_queryset(request).filter(user_type=UserType.STAFF)
        return staff.prefetch_related("groups")

    def get_urls(self):
        steps = [
            path(
                f"<int:pk>/{step.__name__}/",
                self.admin_site.admin_view(require_POST(step)),
                name=f"banking_user_{step.__name__}",
            )
            for step in (self.confirm, self.invite)
        ]
        return [*steps, *super().get_urls()]

    def invite(self, request, pk):
        """Mail another invitation to a person who has not chosen a password yet."""
        user = get_object_or_404(self.get_queryset(request), pk=pk)
        if not self.has_change_permission(request, user):
            raise PermissionDenied
        try:
            staff_accounts.invite_again(user, by=request.user, at=timezone.now())
        except StepRefused as exc:
            self.message_user(request, str(exc), messages.WARNING)
        except OSError:  # includes the errors of SMTP
            self.message_user(request, "The mail could not be sent.", messages.ERROR)
        else:
            self.message_user(request, f"An invitation was mailed to {user.email}.")
        return redirect("admin:banking_user_change", pk)

    def change_view(self, request, object_id, form_url="", extra_context=None):
        user = self.get_object(request, object_id)
        more = {"rights": rights_of(user), "is_invited": is_invited(user)} if user else {}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **more})

    @admin.display(description="state", ordering="is_active")
    def state(self, user):
        """Return the state of the account as a badge: active, invited or deactivated."""
        if not user.is_active:
            return badge("DISABLED", "Deactivated", "Cannot sign in")
        if not user.has_usable_password():
            return badge("PENDING", "Invited", "Has not chosen a password yet")
        return badge("ACTIVE", "Active")

    @admin.display(description="roles")
    def roles(self, user):
        names = sorted(group.name for group in user.groups.all())
        return ", ".join([*["Superuser"] * user.is_superuser, *names])

    def confirm(self, request, pk):
        """Confirm the account of a member of staff that another administrator created."""
        user = get_object_or_404(self.get_queryset(request), pk=pk)
        if not self.has_change_permission(request, user):
            raise PermissionDenied
        try:
            with transaction.atomic():  # no confirmation without its log entry
                staff_accounts.confirm(user, by=request.user, at=timezone.now())
                self.log_change(request, user, "Account confirmed.")
        except StepRefused as exc:
            self.message_user(request, str(exc), messages.WARNING)
        else:
            self.message_user(request, "The account is confirmed.", messages.SUCCESS)
        return redirect("admin:banking_user_change", pk)

    def get_fieldsets(self, request, obj=None):
        return super().get_fieldsets(request, obj) if obj else self.add_fieldsets

    def get_readonly_fields(self, request, obj=None):
        fixed = super().get_readonly_fields(request, obj)
        if request.user.is_superuser:
            return fixed
        given = ["groups"] if _may_give_roles(request.user, obj) else []
        email = ["email"] if obj and obj.has_usable_password() else []
        return [*fixed, *email, *(name for name in POWERS if name not in given)]

    def formfield_for_manytomany(self, db_field, request=None, **kwargs):
        if db_field.name == "groups" and not request.user.is_superuser:
            kwargs["queryset"] = Group.objects.filter(name__in=role_names)
        return super().formfield_for_manytomany(db_field, request=request, **kwargs)

    def has_add_permission(self, request):
        return super().has_add_permission(request) and self.has_change_permission(request)

    def has_change_permission(self, request, obj=None):
        return super().has_change_permission(request, obj) and _may_touch(request.user, obj)

    def has_delete_permission(self, request, obj=None):
        return super().has_delete_permission(request, obj) and _may_touch(request.user, obj)

    def get_deleted_objects(self, objs, request):
        gone, counts, missing, protected = super().get_deleted_objects(objs, request)
        if not all(_may_touch(request.user, user) for user in objs):
            missing = {*missing, "superuser"}
        if LogEntry.objects.filter(user__in=objs).exists():
            protected = [*protected, KEPT_LOG]
            missing = {*missing} - {LogEntry._meta.verbose_name}  # which nobody may delete
        return gone, counts, missing, protected

    def add_view(self, request, form_url="", extra_context=None):
        """Propose a new member of staff; a second administrator creates the account."""
        if request.method != "POST" or not self.has_add_permission(request):
            return super().add_view(request, form_url, extra_context)
        form = self.get_form(request)(request.POST)
        if not form.is_valid():
            return super().add_view(request, form_url, extra_context)
        said = form.cleaned_data
        names = {name: said[name] for name in NAMES}
        self._propose(
            request,
            access_changes.propose_account,
            email=said["email"],
            groups=said.get("groups", []),
            **names,
        )
        return redirect("admin:banking_user_changelist")

    def save_model(self, request, obj, form, change):
        """Lock the history, and save names and less access; leave more access to a proposal.

        Only changed values are saved: the form was read before colleagues' changes that the lock
        of the history waited for.
        """
        staff_history.lock()
        form.proposed, form.removed = proposed_access(form), removed_access(form)
        for name in form.proposed["values"]:
            setattr(obj, name, form.initial[name])
        for name in MANY.keys() & form.cleaned_data.keys():
            removed = {*form.initial[name]} - {*form.cleaned_data[name]}
            form.cleaned_data[name] = [
                row for row in getattr(obj, name).all() if row not in removed
            ]
        saved = {*form.changed_data} - form.proposed["values"].keys() - MANY.keys()
        obj.save(update_fields=sorted(saved))

    def save_related(self, request, form, formsets, change):
        super().save_related(request, form, formsets, change)
        user, by, at = form.instance, request.user, timezone.now()
        if renamed := changed_names(form):
            staff_accounts.record_new_name(user, renamed, by=by, at=at)
        if form.removed:
            staff_accounts.record_removal(user, form.removed, by=by, at=at)
        if "is_active" in form.changed_data and not form.cleaned_data["is_active"]:
            staff_accounts.end_access(user, by=by, at=at)
        if form.proposed["summary"]:
            form.is_proposed = self._propose(
                request, access_changes.propose_access, user, **form.proposed
            )

    def construct_change_message(self, request, form, formsets, add=False):
        """Return the text of the log entry: the saved changes and the proposed ones."""
        proposed = form.proposed["summary"]
        if not proposed:
            return super().construct_change_message(request, form, formsets, add)
        saved = [f"Changed {name}." for name in form.changed_data if name in NAMES]
        start = "Proposed:" if form.is_proposed else "Could not be proposed:"
        return " ".join([*saved, *form.removed, start, *proposed])

    def delete_model(self, request, obj):
        changes = [f"The account of {obj.email} was deleted."]
        staff_accounts.record_removal(obj, changes, by=request.user, at=timezone.now())
        super().delete_model(request, obj)

    def delete_queryset(self, request, queryset):
        with transaction.atomic():
            for user in queryset:
                self.delete_model(request, user)

    def _propose(self, request, propose, *subject, **values):
        """Propose a change and tell the user the result; return whether it was not refused."""
        try:
            propose(*subject, **values, by=request.user, at=timezone.now())
        except StepRefused as exc:
            self.message_user(request, str(exc), messages.ERROR)
            return False
        self.message_user(request, PROPOSED, messages.WARNING)
        return True


def _may_give_roles(staff, user):
    """Return whether `staff`, who is no superuser, may change the roles of `user`.

    Not their own, and not of a user who has a group that is no role.
    """
    if user == staff:
        return False
    may_give = staff.has_perms(["banking.change_user", "auth.view_group"])
    return may_give and not (user and user.groups.exclude(name__in=role_names).exists())


def _may_touch(staff, user):
    return staff.is_superuser or user is None or not user.is_superuser
