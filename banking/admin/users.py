"""Users: who may sign in."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm

from banking.models import User

POWERS = ["user_type", "is_superuser", "groups", "user_permissions"]


class LowerCaseEmail:
    """Takes an email address in any case and keeps it in lower case."""

    cleaned_data: dict[str, str]

    def clean_email(self):
        return self.cleaned_data["email"].lower()


class UserCreationForm(LowerCaseEmail, AdminUserCreationForm):
    """Creates somebody who signs in by email."""

    class Meta:
        model = User
        fields = ["email"]


class UserEditForm(LowerCaseEmail, UserChangeForm):
    """Edits somebody who signs in by email."""


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    """Users; only superusers give powers, and only they touch a superuser."""

    form = UserEditForm
    add_form = UserCreationForm
    list_display = ["email", "first_name", "last_name", "user_type", "last_login"]
    list_filter = ["user_type", "is_active", "is_superuser", "groups"]
    ordering = ["email"]
    search_fields = ["email", "first_name", "last_name"]
    readonly_fields = ["external_id", "last_login", "date_joined"]
    fieldsets = [
        (None, {"fields": ["external_id", "email", "password"]}),
        ("Person", {"fields": ["first_name", "last_name"]}),
        (
            "Permissions",
            {"fields": ["is_active", *POWERS]},
        ),
        ("Dates", {"fields": ["last_login", "date_joined"]}),
    ]
    add_fieldsets = [
        (
            None,
            {"classes": ["wide"], "fields": ["email", "usable_password", "password1", "password2"]},
        ),
    ]

    def get_readonly_fields(self, request, obj=None):
        fixed = super().get_readonly_fields(request, obj)
        return fixed if request.user.is_superuser else [*fixed, *POWERS]

    def has_change_permission(self, request, obj=None):
        return super().has_change_permission(request, obj) and _may_touch(request.user, obj)

    def has_delete_permission(self, request, obj=None):
        return super().has_delete_permission(request, obj) and _may_touch(request.user, obj)

    def get_deleted_objects(self, objs, request):
        gone, counts, missing, protected = super().get_deleted_objects(objs, request)
        if not all(_may_touch(request.user, user) for user in objs):
            missing = {*missing, "superuser"}
        return gone, counts, missing, protected


def _may_touch(staff, user):
    return staff.is_superuser or user is None or not user.is_superuser
