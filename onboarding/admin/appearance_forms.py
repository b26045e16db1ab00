"""Partner appearance: the form that changes the brand of a partner."""

from django import forms

from onboarding.choices import Font
from onboarding.services.partners import appearance
from onboarding.services.partners.appearance import LOGO_MAX_BYTES, LOGO_TYPES, Appearance
from onboarding.themes import RADIUS_MAX


class AppearanceForm(forms.Form):
    """Form for a partner's appearance. An empty field removes the value, but not the logo.

    A valid form has the entered `Appearance`, normalized, as `appearance`.
    """

    GROUPS = [
        (
            "What applicants see",
            {"fields": ["display_name", "logo", "remove_logo", "support_email"]},
        ),
        ("Look", {"fields": ["brand_color", "font", "corner_radius"]}),
        (
            "Where the application is shown",
            {"fields": ["embed_origins", "hides_header", "return_url"]},
        ),
    ]

    display_name = forms.CharField(
        required=False,
        max_length=appearance.NAME_MAX,
        help_text="Leave empty to use the partner's name at the bank.",
    )
    brand_color = forms.CharField(
        label="Brand color",
        required=False,
        max_length=20,
        help_text="For buttons and links, for example #0f5b6e. White text on it must be readable. "
        "Dark pages use a lighter tone of it.",
    )
    font = forms.ChoiceField(choices=[("", "The bank's"), *Font.choices], required=False)
    corner_radius = forms.IntegerField(
        required=False,
        help_text=f"Of fields and buttons, 0 to {RADIUS_MAX} pixels. Leave empty for the bank's.",
    )
    logo = forms.FileField(
        required=False,
        widget=forms.FileInput(attrs={"accept": ",".join(LOGO_TYPES)}),
        help_text=f"A PNG, JPEG or WebP file of at most {LOGO_MAX_BYTES // 1024} KiB. "
        "It is shown 36 pixels high.",
    )
    remove_logo = forms.BooleanField(label="Remove the logo", required=False)
    support_email = forms.CharField(
        required=False,
        help_text="Applicants can send questions here. A second administrator confirms a new one.",
    )
    embed_origins = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "cols": 50}),
        help_text="Origins whose pages can show the application, one per line, for example "
        "https://app.example.com. Leave empty for none. A second administrator confirms new ones.",
    )
    hides_header = forms.BooleanField(
        label="Hide the header",
        required=False,
        help_text="In the partner's pages, without name and logo, and on a plain background.",
    )
    return_url = forms.CharField(
        label="Return URL",
        required=False,
        widget=forms.TextInput(attrs={"size": 60}),
        help_text="The page that applicants return to when they are done. A second administrator "
        "confirms a new one.",
    )

    @classmethod
    def of(cls, partner):
        """Return the form with the current appearance of the partner."""
        initial = vars(Appearance.of(partner))
        return cls(initial=initial | {"embed_origins": "\n".join(partner.embed_origins)})

    def clean_embed_origins(self):
        return tuple(self.cleaned_data["embed_origins"].split())

    def clean_logo(self):
        logo = self.cleaned_data["logo"]
        content = logo.read(LOGO_MAX_BYTES + 1) if logo else b""
        if content:
            appearance.logo_type(content)
        return content

    def clean(self):
        names = vars(Appearance())
        said = Appearance(**{name: self.cleaned_data.get(name, names[name]) for name in names})
        self.appearance = said.normalized()
