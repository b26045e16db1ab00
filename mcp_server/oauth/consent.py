"""Consent: requested scopes, scopes that the user may grant, and granted scopes."""

from dataclasses import dataclass
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _
from oauth2_provider.models import Application

from banking.choices import UserType
from banking.models import BusinessOwner, User
from mcp_server.scopes import OPEN_TO_PARTNERS, SENSITIVE, Scope


@dataclass(frozen=True)
class Asked:
    """A valid request for access: client, redirect address, state, and scopes that may be granted.

    `credentials` are the values with which the toolkit makes the code.
    """

    application: Application
    redirect_uri: str
    state: str | None
    scopes: list[Scope]
    credentials: dict[str, Any]


class ConsentForm(forms.Form):
    """Choose the scopes to grant; initially all requested scopes but the SENSITIVE are ticked.

    The request itself is no part of the form: it stays in the address and is checked again.
    """

    scopes = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one item, or choose “Deny”.")},
    )

    def __init__(self, *args: Any, asked: list[Scope], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = cast("forms.MultipleChoiceField", self.fields["scopes"])
        field.choices = [(scope.value, scope.label) for scope in asked]
        field.initial = [scope.value for scope in asked if scope not in SENSITIVE]

    def groups(self) -> list[tuple[Any, list[Any]]]:
        """Return the boxes under their headings, the sensitive boxes last."""
        boxes = list(self["scopes"])
        sensitive = [box for box in boxes if box.data["value"] in SENSITIVE]
        others = [box for box in boxes if box not in sensitive]
        groups = [
            (_("Data, with account numbers masked"), others),
            (_("Full account numbers"), sensitive),
        ]
        return [(heading, boxes) for heading, boxes in groups if boxes]

    def granted(self) -> list[str]:
        """Return the scopes that were ticked, in the order of `Scope`."""
        ticked = self.cleaned_data["scopes"]
        return [scope.value for scope in Scope if scope.value in ticked]


def offered_to(user: User) -> list[Scope]:
    """Return the scopes of data that a user may see.

    Only accountants have clients; owners without full access see profile and statements only.
    """
    if user.user_type == UserType.ACCOUNTANT:
        return list(Scope)
    is_partner = is_without_full_access(user)
    own = OPEN_TO_PARTNERS if is_partner else set(Scope) - {Scope.CLIENTS}
    return [scope for scope in Scope if scope in own]


def is_without_full_access(user: User) -> bool:
    """Return whether a user signs in as an owner who sees profile and statements only."""
    owner = BusinessOwner.objects.filter(user=user).first()
    return owner is not None and not owner.has_full_access


def narrowed(asked: list[str], user: User) -> list[Scope]:
    """Return the requested scopes that the user may grant, in the order of `Scope`."""
    return [scope for scope in offered_to(user) if scope.value in asked]
