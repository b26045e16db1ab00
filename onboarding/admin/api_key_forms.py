"""Access keys: the forms that issue and rotate a key."""

import ipaddress

from django import forms
from django.conf import settings

from onboarding.choices import Permission
from onboarding.models import ApiKey, Partner
from onboarding.services.partners.api_keys import LONGEST_GRACE, LONGEST_LIFETIME

HOUR = 3600


class IssueKeyForm(forms.ModelForm):
    """Form for a new access key: its permissions, networks and lifetime."""

    SHOWN = ["partner", "label", "permissions", "networks", "days"]

    partner = forms.ModelChoiceField(Partner.objects.all())
    permissions = forms.MultipleChoiceField(
        choices=Permission, widget=forms.CheckboxSelectMultiple, initial=Permission.values
    )
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

    class Meta:
        model = ApiKey
        fields = ["partner", "label", "permissions", "networks"]

    def clean_networks(self):
        return [_network(word) for word in self.cleaned_data["networks"].replace(",", " ").split()]


class RotateKeyForm(forms.Form):
    """Form for a rotation: the grace period of the old secret."""

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
