"""The industry of a business: a NAICS code, or plain words and a choice of what they find."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from onboarding.flow.forms.base import FlowForm
from onboarding.flow.forms.fields import Checked
from onboarding.industries import industry_name, is_industry, is_named_in_english
from onboarding.industry_search import Industry, search_industries
from onboarding.queries.risks import get_industry_risks, is_prohibited_industry

WORDS = _(
    "Use plain words, like “bakery” or “web design”. If you know the NAICS code of six digits, "
    "you can enter it."
)
CHOOSE = _("Choose the industry below that fits best.")
NOT_FOUND = _(
    "We found no industry for these words. Try other words, or a more general one, like “retail”."
)
NO_CODE = _("There is no NAICS code %(code)s. Describe the business in plain words instead.")
PROHIBITED = _(
    "%(bank)s does not open accounts for this industry: %(industry)s. If the business does "
    "something else, enter that. If you have a question, call %(phone)s."
)


class IndustryForm(FlowForm):
    """A form that takes a NAICS code or plain words, and offers the industries found.

    `industry_pick` is the code chosen among the industries that the words in `naics_code` find.
    """

    aside = FlowForm.aside | {"industry_pick"}
    naics_code = Checked(label=_("What does the business do?"), help_text=WORDS, max_length=100)
    industry_pick = forms.CharField(required=False)

    @property
    def industry(self) -> str:
        """Return the title of the code that the field shows; empty if it shows none."""
        return industry_name(str(self["naics_code"].value() or ""))

    @property
    def has_english_name(self) -> bool:
        """Return whether the name of the shown code, or of an industry found, is English only."""
        codes = [str(self["naics_code"].value() or ""), *(one.code for one in self.found)]
        return any(map(is_named_in_english, codes))

    @cached_property
    def found(self) -> list[Industry]:
        """Return the industries that the typed words find; none for a code."""
        words = str(self["naics_code"].value() or "").strip()
        return [] if not words or words.isdecimal() else search_industries(words)

    def clean_naics_code(self) -> Any:
        text = self.cleaned_data["naics_code"].strip()
        if not text.isdecimal():
            picked = self.data.get(self.add_prefix("industry_pick"), "")
            if picked not in [industry.code for industry in self.found]:
                raise forms.ValidationError(CHOOSE if self.found else NOT_FOUND, code="required")
            text = picked
        if not is_industry(text):
            raise forms.ValidationError(NO_CODE, code="required", params={"code": text})
        if is_prohibited_industry(text):
            raise forms.ValidationError(
                PROHIBITED,
                code="required",
                params={
                    "bank": settings.BANK_NAME,
                    "phone": settings.BANK_PHONE,
                    "industry": industry_name(text),
                },
            )
        return text

    @cached_property
    def offered(self) -> list[tuple[Industry, bool]]:
        """Return the industries found, each with whether the bank refuses it."""
        if not self.found:
            return []
        risks = get_industry_risks()
        return [(industry, risks.prohibits(industry.code)) for industry in self.found]
