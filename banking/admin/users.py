"""The members of staff: their accounts and their roles. Customers are not shown here."""

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.shortcuts import get_object_or_404, redirect
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import require_POST

from banking.choices import UserType
from banking.errors import StepRefused
from banking.models import User
from banking.services import staff_accounts
from foundation.backoffice.site import role_names

POWERS = ["groups", "is_superuser", "user_permissions"]
DATES = ["last_login", "date_joined", "created_by", "confirmed_by", "access_changed_at"]


class StaffForm(forms.ModelForm):
    """A member of staff; the email address is kept in lower case."""

    def clean_email(self):
        return self.cleaned_data["email"].lower()


@admin.register(User)
class UserAdmin(admin.ModelAdmin):
    """Members of staff. Nobody sets a password here: an invitation is mailed to the person.

    Users with the permissions to change users and to view groups give roles to others. Only
    superusers give single permissions, edit superusers, and change the email of a user who has a
    password: a password can be reset by mail. The user who changes the email of an invitation that
    was not accepted becomes the creator of the account.
    """

    form = StaffForm
    list_display = ["email", "first_name", "last_name", "is_active", "last_login"]
    list_filter = ["is_active", "is_superuser", "groups"]
    ordering = ["email"]
    search_fields = ["email", "first_name", "last_name"]
    filter_horizontal = ["groups", "user_permissions"]
    readonly_fields = ["external_id", *DATES]
    fieldsets = [
        (None, {"fields": ["external_id", "email"]}),
        ("Person", {"fields": ["first_name", "last_name"]}),
        ("Permissions", {"fields": ["is_active", *POWERS]}),
        ("Dates", {"fields": [*DATES]}),
    ]
    add_fieldsets = [(None, {"fields": ["email", "first_name", "last_name", "groups"]})]

    def get_queryset(self, request):
        return super().get_queryset(request).filter(user_type=UserType.STAFF)

    def get_urls(self):
        view = self.admin_site.admin_view(require_POST(self.confirm))
        return [path("<int:pk>/confirm/", view, name="banking_user_confirm"), *super().get_urls()]

    def confirm(self, request, pk):
        """Confirm an account that another administrator created."""
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
        return gone, counts, missing, protected

    def save_model(self, request, obj, form, change):
        if not change:
            obj.user_type, obj.created_by = UserType.STAFF, request.user
            obj.set_unusable_password()
        elif form.initial.get("email", obj.email) != obj.email and not obj.has_usable_password():
            obj.created_by = request.user  # chooses who accepts the invitation
        if "email" in form.changed_data:
            obj.confirmed_by = None  # the account was confirmed for another person
        super().save_model(request, obj, form, change)

    def save_related(self, request, form, formsets, change):
        super().save_related(request, form, formsets, change)
        if not change:
            transaction.on_commit(lambda: self._invite(request, form.instance))
        elif extensions := _extensions(form):
            user, now = form.instance, timezone.now()
            former = {form.initial.get("email", user.email)} - {user.email}
            staff_accounts.record_extension(user, extensions, at=now, also_to=sorted(former))

    def _invite(self, request, user):
        try:
            staff_accounts.invite(user)
        except OSError:  # includes the errors of SMTP
            text = (
                f"The mail could not be sent. Ask {user.email} to request a link at "
                "/password-reset."
            )
            self.message_user(request, text, messages.WARNING)
        else:
            self.message_user(request, f"An invitation was mailed to {user.email}.")


def _extensions(form):
    """Return how a form extends the access of a user, as sentences for the mail to them."""
    said, had = form.cleaned_data, form.initial
    sentences = {
        "email": f"Your email address is now {said.get('email')}.",
        "is_active": "Your account is active again.",
        "is_superuser": "You are a superuser.",
    }
    given = [text for name, text in sentences.items() if name in form.changed_data and said[name]]
    for name, noun in (("groups", "role"), ("user_permissions", "permission")):
        added = {*said.get(name, [])} - {*had.get(name, [])}
        given += [f"You were given a {noun}: {one}." for one in sorted(map(str, added))]
    return given


def _may_give_roles(staff, user):
    """Return whether a user may give roles to another; other groups are for superusers."""
    if user == staff:
        return False
    may_give = staff.has_perms(["banking.change_user", "auth.view_group"])
    return may_give and not (user and user.groups.exclude(name__in=role_names).exists())


def _may_touch(staff, user):
    return staff.is_superuser or user is None or not user.is_superuser
