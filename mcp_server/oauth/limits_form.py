"""The form of limits: how much an assistant may read, at the consent and afterwards."""

from datetime import date
from typing import Any, cast

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from banking.choices import AccessStatus, UserType
from banking.models import Accountant, BusinessOwner, User
from banking.queries import accountants
from banking.queries.accounts import list_accounts
from mcp_server.limits import Limits
from mcp_server.models import Connection

ALL, SOME = "ALL", "SOME"
Choices = list[tuple[str, Any]]
OF_ACCOUNTS: Choices = [
    (ALL, _("All accounts, including accounts that you open later")),
    (SOME, _("Only these accounts:")),
]
OF_CLIENTS: Choices = [
    (ALL, _("All clients, including future clients")),
    (SOME, _("Only these clients:")),
]


def _day(label: Any) -> forms.DateField:
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    return forms.DateField(label=label, required=False, widget=widget)


class LimitsForm(forms.Form):
    """Choose accounts (accountants: clients), days, names and the last day of the access.

    The initial values are those of the connection.
    Only accounts and clients of the user are choices, so that no other key is valid.
    """

    which = forms.ChoiceField(widget=forms.RadioSelect, initial=ALL, required=False)
    chosen = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple, required=False)
    first_day = _day(_("From (leave empty for no limit)"))
    last_day = _day(_("To (leave empty for no limit)"))
    access_until = _day(_("Last day (leave empty for no end)"))
    hides_names = forms.BooleanField(
        label=_("Hide the names of the people and businesses that you pay or that pay you"),
        required=False,
    )

    def __init__(
        self, data: Any = None, *, user: User, connection: Connection | None = None
    ) -> None:
        super().__init__(data, initial=_initial(user, connection) if connection else {})
        self.is_of_clients = user.user_type == UserType.ACCOUNTANT
        self.offered = _clients_of(user) if self.is_of_clients else _accounts_of(user)
        self._choices("chosen").choices = self.offered
        self._choices("which").choices = OF_CLIENTS if self.is_of_clients else OF_ACCOUNTS

    @property
    def is_set(self) -> bool:
        """Return whether the form has a limit or an error, so that the page shows its fields."""
        unlimited = {"which": ALL, "chosen": [], "hides_names": False}
        values = self.initial.items()
        return bool(self.errors) or any(
            value not in (unlimited.get(k), None) for k, value in values
        )

    def clean_access_until(self) -> date | None:
        """Refuse a day that has passed, in UTC."""
        day: date | None = self.cleaned_data["access_until"]
        if day and day < timezone.now().date():
            raise forms.ValidationError(_("Choose today or a later day."))
        return day

    def clean(self) -> dict[str, Any]:
        """Refuse days in the wrong order, and contradictory choices."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        first, last = cleaned.get("first_day"), cleaned.get("last_day")
        if first and last and last < first:
            self.add_error("last_day", _("Choose a day that is not before the first day."))
        if cleaned.get("which") == SOME and not cleaned.get("chosen"):
            self.add_error("chosen", _("Choose at least one."))
        if cleaned.get("which") != SOME and cleaned.get("chosen"):  # either may be meant
            self.add_error("chosen", _("Choose “Only these”, or clear the boxes below it."))
        return cleaned

    def limits(self, *, shows_numbers: bool) -> Limits:
        """Return the limits that were chosen."""
        given = self.cleaned_data
        keys = sorted(map(int, given["chosen"])) if given["which"] == SOME else None
        return Limits(
            businesses=keys if self.is_of_clients else None,
            accounts=None if self.is_of_clients else keys,
            first_day=given["first_day"],
            last_day=given["last_day"],
            hides_names=given["hides_names"],
            access_until=given["access_until"],
            shows_numbers=shows_numbers,
        )

    def _choices(self, name: str) -> forms.ChoiceField:
        return cast("forms.ChoiceField", self.fields[name])


class ConnectionLimitsForm(LimitsForm):
    """`LimitsForm` with a box for full account numbers, which are a scope on the consent page."""

    shows_numbers = forms.BooleanField(label=_("Show full account numbers"), required=False)

    def chosen_limits(self) -> Limits:
        """Return the limits that were chosen, with the box."""
        return self.limits(shows_numbers=self.cleaned_data["shows_numbers"])


def _initial(user: User, connection: Connection) -> dict[str, Any]:
    is_accountant = user.user_type == UserType.ACCOUNTANT
    keys = connection.businesses if is_accountant else connection.accounts
    until = connection.access_until
    return {
        "which": ALL if keys is None else SOME,
        "chosen": [str(key) for key in keys or []],
        "first_day": connection.first_day,
        "last_day": connection.last_day,
        "hides_names": connection.hides_names,
        "access_until": until if until and until >= timezone.now().date() else None,
    }


def _accounts_of(user: User) -> Choices:
    owner = BusinessOwner.objects.select_related("business").filter(user=user).first()
    if owner is None:
        return []
    return [
        (str(account.pk), f"{account.name} {account.masked_number}".strip())
        for account in list_accounts(owner.business).open()
    ]


def _clients_of(user: User) -> Choices:
    accountant = Accountant.objects.select_related("firm").filter(user=user).first()
    found = accountants.list_clients(accountant, at=timezone.now()) if accountant else []
    return [
        (str(client.business_id), client.business_name)
        for client in found
        if client.status == AccessStatus.CONNECTED
    ]
