"""Access keys: the forms that issue and rotate a key."""

import ipaddress

from django import forms
from django.conf import settings

from onboarding.choices import Permission
from onboarding.models import ApiKey, BankKey, Partner
from onboarding.models.partners import BANK_ID
from onboarding.services.partners.api_keys import LONGEST_GRACE, LONGEST_LIFETIME, bank_scopes

HOUR = 3600


class IssueKeyForm(forms.ModelForm):
    """Form for a new access key: its label, networks (CIDR ranges) and lifetime in days."""

    networks = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "cols": 40}),
        help_text="CIDR ranges that can call, one per line. Leave empty to allow any address.",
    )
    days = forms.IntegerField(
        min_value=1,
        max_value=LONGEST_LIFETIME.days,
        initial=settings.API_KEY_LIFETIME.days,
        help_text=f"Days until the key expires, {LONGEST_LIFETIME.days} at most.",
    )

    def clean_networks(self):
        return [_network(word) for word in self.cleaned_data["networks"].replace(",", " ").split()]


class IssueApiKeyForm(IssueKeyForm):
    """Form for a partner's access key, with its permissions."""

    partner = forms.ModelChoiceField(Partner.objects.exclude(external_id=BANK_ID))
    permissions = forms.MultipleChoiceField(
        choices=Permission, widget=forms.CheckboxSelectMultiple, initial=Permission.values
    )
    field_order = ["partner", "label", "permissions", "networks", "days"]

    class Meta:
        model = ApiKey
        fields = ["partner", "label", "permissions", "networks"]


class IssueBankKeyForm(IssueKeyForm):
    """Form for an access key of a system of the bank, with its scopes."""

    permissions = forms.MultipleChoiceField(
        label="Scopes",
        choices=lambda: [(scope, scope) for scope in bank_scopes()],
        widget=forms.CheckboxSelectMultiple,
        help_text="*:write sends records of each kind, *:read reads all of them.",
    )
    field_order = ["label", "permissions", "networks", "days"]

    class Meta:
        model = BankKey
        fields = ["label", "permissions", "networks"]


class RotateKeyForm(forms.Form):
    """Form for a rotation: the grace period of the old secret, in hours."""

    grace_hours = forms.IntegerField(
        label="Hours that the old secret keeps working",
        min_value=0,
        max_value=int(LONGEST_GRACE.total_seconds()) // HOUR,
        initial=int(settings.SECRET_GRACE.total_seconds()) // HOUR,
    )


def _network(word):
    try:
        return str(ipaddress.ip_network(word))
    except ValueError:
        raise forms.ValidationError(
            f"{word} is not a CIDR range. Examples: 203.0.113.0/24 and 2001:db8::/32."
        ) from None
