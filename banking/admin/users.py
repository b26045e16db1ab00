"""Users: who may sign in."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import Group

from banking.back_office import role_names
from banking.models import User

GIVEN = ["user_type", "groups"]  # by who looks after users, too
POWERS = [*GIVEN, "is_superuser", "user_permissions"]


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
    """Users; only superusers give every power, and only they touch a superuser.

    Whoever may change users and sees the groups makes others staff and gives them roles.
    """

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
        if request.user.is_superuser:
            return fixed
        given = GIVEN if _may_give_roles(request.user, obj) else []
        return [*fixed, *(name for name in POWERS if name not in given)]

    def formfield_for_manytomany(self, db_field, request=None, **kwargs):
        if db_field.name == "groups" and not request.user.is_superuser:
            kwargs["queryset"] = Group.objects.filter(name__in=role_names)
        return super().formfield_for_manytomany(db_field, request=request, **kwargs)

    def has_change_permission(self, request, obj=None):
        return super().has_change_permission(request, obj) and _may_touch(request.user, obj)

    def has_delete_permission(self, request, obj=None):
        return super().has_delete_permission(request, obj) and _may_touch(request.user, obj)

    def get_deleted_objects(self, objs, request):
        gone, counts, missing, protected = super().get_deleted_objects(objs, request)
        if not all(_may_touch(request.user, user) for user in objs):
            missing = {*missing, "superuser"}
        return gone, counts, missing, protected


def _may_give_roles(staff, user):
    """Say whether somebody gives roles to another; groups that are none are for superusers."""
    if user is None or user == staff:
        return False
    may_give = staff.has_perms(["banking.change_user", "auth.view_group"])
    return may_give and not user.groups.exclude(name__in=role_names).exists()


def _may_touch(staff, user):
    return staff.is_superuser or user is None or not user.is_superuser
