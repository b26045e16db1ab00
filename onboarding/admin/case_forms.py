"""Case forms: a form for each step that staff take in a case."""

from datetime import timedelta

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils import timezone

from banking.models import User
from onboarding.business_hours import NEW_YORK
from onboarding.choices import DenialReason, LlcFileType
from onboarding.models import Document, Owner, Proposal
from onboarding.queries.message_templates import list_notes_of_templates
from onboarding.queries.staff import list_reviewers
from onboarding.services.reviews.decisions import TEMPORARY_LIFETIME

LONGEST = 500  # characters of a note on a check or a proposal
LONGEST_TEXT = 4000
DAY = timedelta(days=1)
LONGEST_TIME = timedelta(days=365)  # of a temporary approval


def text_field(label, *, rows=3, **options):
    """Return a form field for a text in several rows, of LONGEST_TEXT characters by default."""
    options = {"max_length": LONGEST_TEXT, **options}
    return forms.CharField(label=label, widget=forms.Textarea(attrs={"rows": rows}), **options)


class StepForm(forms.Form):
    """Base form of a step, without fields. `intro` is shown above the fields of a subclass.

    `application` is the row that the step is about, also where that is a customer or a customer
    case; it is None for hits of the bank's records. `name` is the prefix of the HTML ids.
    """

    intro = ""

    def __init__(self, *args, application, name, **options):
        self.application = application
        super().__init__(*args, auto_id=f"{name}-%s", label_suffix="", **options)

    def show(self, name, value):
        """Set the value of a hidden field to the value that the page shows now.

        A form that is shown again after a refusal sends this value, too, not the older one.
        """
        self.initial[name] = value
        if self.is_bound:
            data = QueryDict(mutable=True)
            data.update(self.data)
            data.setlist(name, value if isinstance(value, list) else [value])
            self.data = data


class DecisionForm(StepForm):
    """Base form of a decision. It carries the id of the newest note by a colleague on the page."""

    shown_note = forms.IntegerField(required=False, widget=forms.HiddenInput)


class ApproveForm(DecisionForm):
    """Form for an approval: the reason, and the shown documents that it accepts."""

    internal_text = text_field("Reason", help_text="For staff and auditors only.")
    accepting = forms.ModelMultipleChoiceField(
        Document.objects.none(), required=False, widget=forms.MultipleHiddenInput
    )

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        limit(self, "accepting", queryset=self.application.lead.documents.all())


class ApproveTemporarilyForm(ApproveForm):
    """Form for a temporary approval: the reason and the last day."""

    field_order = ["expiration_date", "internal_text"]
    expiration_date = forms.DateField(
        label="Until",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text="The account's last day, unless the application is approved before.",
    )

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        today = _today()
        until = self.fields["expiration_date"]
        until.initial = today + TEMPORARY_LIFETIME
        until.widget.attrs["min"] = f"{today + DAY:%Y-%m-%d}"

    def clean_expiration_date(self):
        until = self.cleaned_data["expiration_date"]
        if not DAY <= until - _today() <= LONGEST_TIME:
            raise ValidationError("Choose a day after today, within one year.")
        return until


def _today():
    """Return the current day in New York, as the service that checks the last day counts it."""
    return timezone.now().astimezone(NEW_YORK).date()


class ReasonsWidget(forms.CheckboxSelectMultiple):
    """Checkboxes of denial reasons, each with its text for the applicant."""

    def create_option(self, name, value, *args, **options):
        option = super().create_option(name, value, *args, **options)
        option["attrs"]["data-text"] = str(DenialReason(value).applicant_text)
        return option


class DenyForm(DecisionForm):
    """Form for a denial: reason codes, a text for staff and a text for the applicant."""

    reasons = forms.MultipleChoiceField(
        label="Reasons",
        choices=DenialReason,
        widget=ReasonsWidget,
        help_text="The partner receives these codes.",
    )
    internal_text = text_field("Reason", help_text="For staff and auditors only.")
    applicant_text = text_field(
        "Message to the applicant",
        rows=4,
        required=False,
        help_text="If you leave this empty, the applicant receives the texts of the reasons.",
    )

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.fields["applicant_text"].widget.attrs["data-texts-of"] = "reasons"

    def clean_reasons(self):
        return [DenialReason(code) for code in self.cleaned_data["reasons"]]


class RequestIdentityForm(StepForm):
    """Form for identity requests: the people who must prove their identity."""

    people = forms.MultipleChoiceField(label="Who", widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        lead = self.application.lead
        self.known = {str(person.external_id): person for person in [lead, *people_of(lead)]}
        names = [(key, person.full_name or person.email) for key, person in self.known.items()]
        limit(self, "people", choices=names)

    def clean_people(self):
        return [self.known[key] for key in self.cleaned_data["people"]]


class StaffField(forms.ModelChoiceField):
    """Choice field of staff, labelled by name."""

    def label_from_instance(self, obj):
        return obj.get_full_name() or obj.email


class ReassignForm(StepForm):
    """Form to hand a case over: the colleague and a note."""

    to = StaffField(User.objects.none(), label="To")
    note = text_field("Note", rows=2, required=False, help_text="For staff and auditors only.")

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        limit(self, "to", queryset=list_reviewers())


class ProposalForm(StepForm):
    """Form that carries the id of the proposal shown, so that no newer proposal is settled."""

    proposal = forms.ModelChoiceField(Proposal.objects.none(), widget=forms.HiddenInput)

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        limit(self, "proposal", queryset=self.application.proposals.all())


class ConfirmForm(DecisionForm, ProposalForm):
    """Form to confirm a proposed decision."""


class RefuseForm(ProposalForm):
    """Form to refuse a proposed decision, with the reason."""

    note = text_field("Reason", max_length=LONGEST, help_text="For staff and auditors only.")


class TemplatesWidget(forms.RadioSelect):
    """Radio buttons of templates, each with the template's text about this application."""

    texts: dict[str, str] = {}

    def create_option(self, name, value, *args, **options):
        option = super().create_option(name, value, *args, **options)
        option["attrs"]["data-text"] = self.texts.get(str(value), "")
        return option


class TemplatedForm(StepForm):
    """Base form for a text that a template can fill in.

    Subclasses have the field `text`, and in `lacks` the error for neither text nor template.
    """

    template = forms.ChoiceField(label="Template", widget=TemplatesWidget, required=False)
    lacks = ""

    @staticmethod
    def list_templates(application):
        """Return pairs of an offered template and its text about the application."""
        raise NotImplementedError

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        found = self.list_templates(self.application)
        self.texts = {str(template.pk): text for template, text in found}
        offered = [("", "None"), *((str(one.pk), one.name) for one, _ in found)]
        limit(self, "template", choices=offered)
        self.fields["template"].widget.texts = self.texts
        if found:
            self.fields["text"].widget.attrs["data-filled-by"] = "template"
            self.fields["text"].help_text += " Empty: the text of the template."
        else:
            del self.fields["template"]

    def clean(self):
        said = super().clean()
        text = said.get("text") or self.texts.get(said.pop("template", ""), "")
        if not text and not self.errors:
            self.add_error("text", self.lacks)
        return {"text": text}


class NoteForm(TemplatedForm):
    """Form for a note: a template's text, or a text in own words."""

    text = text_field("New note", required=False, help_text="For staff and auditors only.")
    lacks = "Enter a note or choose a template."
    list_templates = staticmethod(list_notes_of_templates)


class DocumentForm(StepForm):
    """Form that carries the id of a document of the lead."""

    document = forms.ModelChoiceField(Document.objects.none())

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        limit(self, "document", queryset=self.application.lead.documents.all())


class RejectDocumentForm(DocumentForm):
    """Form for a rejection: the document, and a standard reason or a reason in own words."""

    standard = forms.CharField(max_length=255, required=False)
    reason = forms.CharField(max_length=255, required=False)

    def clean(self):
        given = super().clean()
        given["reason"] = given.get("reason") or given.get("standard", "")
        given.pop("standard", None)
        if not given["reason"]:
            self.add_error("reason", "Choose a reason, or write one. The applicant will see it.")
        return given


class ChangeKindForm(DocumentForm):
    """Form for a corrected kind of a document."""

    kind = forms.ChoiceField(choices=LlcFileType)


class RevealForm(StepForm):
    """Form for revealing a personal number: the person, the field and the reason."""

    person = forms.UUIDField()
    field = forms.CharField(max_length=32)
    reason = forms.CharField(max_length=200)

    def clean_person(self):
        wanted, lead = self.cleaned_data["person"], self.application.lead
        if lead.external_id == wanted:
            return lead
        owner = lead.owners.filter(external_id=wanted).first()
        if owner is None:
            raise ValidationError("There is no such person.")
        return owner


def limit(form, name, **values):
    """Set attributes of a form field, such as its choices."""
    for attribute, value in values.items():
        setattr(form.fields[name], attribute, value)


def people_of(lead):
    """Return the owners besides the applicant, without decrypting their personal numbers."""
    encrypted = ["ssn", "passport_number", "id_gov_number"]
    return Owner.objects.filter(lead=lead).order_by("pk").defer(*encrypted)
