"""Users: who may sign in."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm

from banking.models import User


class UserCreationForm(AdminUserCreationForm):
    """Creates somebody who signs in by email."""

    class Meta:
        model = User
        fields = ["email"]


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    add_form = UserCreationForm
    list_display = ["email", "first_name", "last_name", "is_staff", "last_login"]
    ordering = ["email"]
    search_fields = ["email", "first_name", "last_name"]
    readonly_fields = ["external_id", "last_login", "date_joined"]
    fieldsets = [
        (None, {"fields": ["external_id", "email", "password"]}),
        ("Person", {"fields": ["first_name", "last_name"]}),
        (
            "Permissions",
            {"fields": ["is_active", "is_staff", "is_superuser", "groups", "user_permissions"]},
        ),
        ("Dates", {"fields": ["last_login", "date_joined"]}),
    ]
    add_fieldsets = [
        (
            None,
            {"classes": ["wide"], "fields": ["email", "usable_password", "password1", "password2"]},
        ),
    ]
