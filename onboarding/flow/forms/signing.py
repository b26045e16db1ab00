"""The form with which an applicant agrees, certifies and signs."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from onboarding.choices import LegalText
from onboarding.errors import Invalid
from onboarding.flow.forms.fields import explain
from onboarding.lazy_texts import StrOrPromise
from onboarding.legal_texts import LegalDocument
from onboarding.services.leads import submissions
from onboarding.services.leads.holders import SharesExceeded

AGREE: dict[LegalText, StrOrPromise] = {
    LegalText.ELECTRONIC_RECORDS: _("I agree to receive and sign records electronically."),
    LegalText.ACCOUNT_AGREEMENT: _("I have read the account agreement and agree to it."),
    LegalText.PRIVACY_NOTICE: _("I have read the privacy notice."),
    LegalText.OWNERSHIP_CERTIFICATION: _(
        "I certify that, to the best of my knowledge, everything above about the people who own "
        "and control the business is complete and correct."
    ),
}
TICK = _("Check this box to continue.")
NO_NAME = _("Type your first and last name.")
ANOTHER_NAME = _(
    "Type your first and last name in full: %(name)s. You can leave out middle names. If this name "
    "is wrong, first correct it in the step “You”."
)
INCOMPLETE = _("Something is still missing. See the list below.")
TWO_CONTROL_PERSONS = _(
    "Two people are marked as the person who controls the business. Choose one of them in "
    "the step “Owners”."
)
UNEXPLAINED = _(
    "Say in the step “Owners” who is behind each trust or company that holds 25 percent or more."
)
SHARES_EXCEEDED = _("The shares add up to more than 100 percent.")
CHANGED = _("Something has changed since you opened this page. Check everything, then sign again.")
TEXT_CHANGED = _("This text has changed since you opened this page. Read it again.")


class Tick(forms.CheckboxInput):
    """A checkbox that sends the version of its text; it is unchecked for another version."""

    def __init__(self, version: str) -> None:
        super().__init__(check_test=lambda value: value == version)
        self._version = version

    def format_value(self, value: Any) -> str:
        return self._version

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        return data.get(name, "")

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        return name not in data


class SigningForm(forms.Form):
    """A checkbox for each legal text, and the name of the signer.

    `language` is the language of the texts; `state` identifies the data shown to the applicant. A
    form posted from a page with other data gets an error.
    """

    use_required_attribute = False
    another_name: StrOrPromise = ANOTHER_NAME
    name_help: StrOrPromise = _("When you type your name, you sign the application.")
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(
        self,
        documents: Iterable[LegalDocument],
        *,
        language: str,
        state: str,
        data: QueryDict | None = None,
    ) -> None:
        super().__init__(data, label_suffix="")
        self.language, self.state = language, state
        self.documents = list(documents)
        for document in self.documents:
            self.fields[document.text.value] = forms.CharField(
                label=document.title,
                widget=Tick(document.version),
                error_messages={"required": TICK},
            )
        self.fields["signed_name"] = forms.CharField(
            label=_("Your full name"),
            max_length=200,
            help_text=self.name_help,
            error_messages={"required": NO_NAME},
            widget=forms.TextInput(attrs={"autocomplete": "name"}),
        )

    @property
    def boxes(self) -> list[tuple[LegalDocument, forms.BoundField, StrOrPromise]]:
        """Return each text with its checkbox and the checkbox's label."""
        return [(one, self[one.text.value], AGREE[one.text]) for one in self.documents]

    @property
    def agreed(self) -> dict[LegalText, str]:
        """Return the versions of the checked texts."""
        return {
            document.text: self.cleaned_data[document.text.value] for document in self.documents
        }

    def clean_seen(self) -> str:
        seen: str = self.cleaned_data["seen"]
        if seen != self.state:
            self.add_error(None, CHANGED)
        return seen

    def refuse(self, exc: Exception, *, name: str) -> None:
        """Add the reason of a refused submission as an error of its field."""
        match exc:
            case submissions.NotAgreed(texts=texts):
                is_newer = isinstance(exc, submissions.TextsChanged)
                for text in texts:
                    self.add_error(text.value, TEXT_CHANGED if is_newer else TICK)
            case submissions.NotAName():
                self.add_error("signed_name", NO_NAME)
            case submissions.AnotherName():
                self.add_error("signed_name", self.another_name % {"name": name})
            case Invalid(faults=faults):
                for fault in faults:
                    self.add_error(None, explain(fault.code))
            case _:
                self.add_error(None, PAGE_WIDE[type(exc)])


class PartSigningForm(SigningForm):
    """The form with which an owner signs their own part."""

    another_name = _(
        "Type your first and last name in full: %(name)s. You can leave out middle names. If this "
        "name is wrong, first go back and correct it."
    )
    name_help = _(
        "When you type your name, you confirm that your details above are complete and correct."
    )


PAGE_WIDE: dict[type[Exception], StrOrPromise] = {
    submissions.Incomplete: INCOMPLETE,
    submissions.TwoControlPersons: TWO_CONTROL_PERSONS,
    submissions.ChangedMeanwhile: CHANGED,
    submissions.HoldersUnexplained: UNEXPLAINED,
    SharesExceeded: SHARES_EXCEEDED,
}
REFUSALS: tuple[type[Exception], ...] = (
    *PAGE_WIDE,
    submissions.NotAgreed,
    submissions.NotAName,
    submissions.AnotherName,
    Invalid,
)
